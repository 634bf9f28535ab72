/** Names and values of changed fields in everyday words: pure. */
import { decimalText } from '../parts/count-words.ts';
import { momentText } from '../parts/time-words.ts';
import { waitingText } from './waiting.ts';

/** The names of fields of licenses, products and other items. */
const NAMES: Readonly<Record<string, string>> = {
  active: 'Switched on',
  amount: 'Amount',
  attempts: 'Activation attempts of the last hour',
  buyerEmail: 'Buyer',
  code: 'Code',
  country: 'Country',
  courseId: 'Course',
  creatorId: 'Creator',
  daysRemaining: 'Days remaining',
  disputeReason: 'Dispute',
  discountCode: 'Trial code',
  durationDays: 'Duration in days',
  email: 'E-mail address',
  expiresAt: 'Expires',
  fileId: 'License file',
  fingerprint: 'Machine id',
  hostname: 'Machine',
  licenseType: 'License type',
  machinesUsed: 'Machines in use',
  maxConcurrent: 'Seats at once',
  maxMachines: 'Machines allowed',
  maxUses: 'Uses allowed',
  name: 'Name',
  price: 'Price',
  productId: 'Product',
  purchaseId: 'Purchase',
  purchasedAt: 'Bought',
  reason: 'Reason',
  redeemedBy: 'Redeemed by',
  redeemedCount: 'Seats redeemed',
  resolvedAt: 'Resolved',
  revocation: 'Revocation',
  revoked: 'Keys revoked',
  role: 'Role',
  seatCount: 'Seats',
  seatNumber: 'Seat number',
  sessionActive: 'Session',
  severity: 'Severity',
  status: 'Status',
  text: 'Text',
  threatLevel: 'Threat level',
  trialDays: 'Trial days',
  type: 'Kind',
  unlockedProducts: 'Further products',
  usedCount: 'Uses',
  variant: 'Variant',
  waiting: 'Waits for the first activation',
};

/** Fields in which -1 means no limit. */
const LIMITS = ['maxMachines', 'maxConcurrent', 'maxUses'];

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** `maxMachines` as "Machines allowed". A field without an entry is split into its own words. */
export function fieldName(field: string): string {
  const known = NAMES[field];
  if (known !== undefined) return known;
  const words = field.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The value of a field: times in the reader's time zone, lists with commas, an absent value as a word. */
export function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return field === 'expiresAt' ? 'never' : 'none';
  if (value === -1 && LIMITS.includes(field)) return 'no limit';
  if (field === 'sessionActive') return value === true ? 'live' : 'ended';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return decimalText(value);
  if (typeof value === 'string') return MOMENT.test(value) ? momentText(value) : value.replaceAll('_', ' ');
  if (field === 'waiting') return waitingText(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((each) => valueText('', each)).join(', ');
  return JSON.stringify(value);
}
