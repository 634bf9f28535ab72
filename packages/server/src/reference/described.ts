/** What the reference is made of: the endpoints' own values, without what they do. */
import type { Endpoint } from '../endpoint/endpoint.ts';

/** An endpoint as the reference sees it; without work where it is no endpoint of the service's rules. */
export type DescribedEndpoint = Omit<Endpoint, 'work'> & Partial<Pick<Endpoint, 'work'>>;

/** A heading and the endpoints under it. */
export interface DescribedSection {
  readonly title: string;
  readonly description: string;
  readonly endpoints: readonly DescribedEndpoint[];
}

/** What the service is and how to speak to it, in one paragraph. */
export const SUMMARY =
  'Issues software licenses and checks them. HTTPS only; requests and answers are JSON. For questions, ask whoever ' +
  'runs this service.';

/** `/createLicense` as a type is named: `CreateLicense`. */
export function typeName(path: string): string {
  return pascal(path.slice(1));
}

/** `license_not_found` or `Not Found` as a type is named: `LicenseNotFound`, `NotFound`. */
export function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
