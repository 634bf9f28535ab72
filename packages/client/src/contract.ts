/** The requests and replies of the endpoints that an app calls, taken from the server's generated contract. */
export type {
  ActivateReply,
  ActivateRequest,
  DeactivateReply,
  HeartbeatReply,
  IssueLicenseFileReply,
  LicenseType,
  MachineSession,
  ValidateReply,
  VerifyReply,
  VerifyRequest,
} from '../../server/contract.d.ts';
