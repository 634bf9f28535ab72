/** The reference's input: the endpoints' definitions without their work. */
import Type from 'typebox';
import type { Endpoint, SentEvents } from '../../platform/endpoint/endpoint.ts';

/** An endpoint as the reference sees it. Endpoints outside the service's rules, such as /healthz, have no work. */
export type DescribedEndpoint = Omit<Endpoint, 'work'> & Partial<Pick<Endpoint, 'work'>>;

/** The parts of an address that a site answers and anybody may read. */
export const ofSite = {
  methods: ['GET'],
  access: 'client',
  fields: Type.Object({}),
  missing: '',
  successStatus: 200,
  flag: 'success',
  refusals: [],
} as const;

/** A heading and its endpoints. */
export interface DescribedSection {
  readonly title: string;
  readonly description: string;
  readonly endpoints: readonly DescribedEndpoint[];
  readonly sentEvents?: SentEvents;
}

/** A short description of the service and its protocol. */
export const SUMMARY =
  'Issues software licenses and checks them. HTTPS only; requests and answers are JSON. For questions, ask the ' +
  'operator of this service.';

/** Converts `/createLicense` to a type name: `CreateLicense`. */
export function typeName(path: string): string {
  return pascal(path.slice(1));
}

/** Converts `license_not_found` or `Not Found` to a type name: `LicenseNotFound`, `NotFound`. */
export function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
