/** The requests and replies of the endpoints that an app calls, and sent events: parts of the server's contract. */
export type {
  ActivateReply,
  ActivateRequest,
  ConsumeReply,
  DeactivateReply,
  HeartbeatReply,
  IssueLicenseFileReply,
  LicenseType,
  MachineSession,
  OutboundEvent,
  OutboundLicense,
  OutboundType,
  StartTrialReply,
  ValidateReply,
  VerifyReply,
  VerifyRequest,
} from '../../server/contract.d.ts';
