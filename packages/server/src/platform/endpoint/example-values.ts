/**
 * Values that the examples of the endpoints share, so that together they tell one story: a studio sells the product
 * `paint`, and ada@example.com buys a license and activates it on one machine.
 */

/** The time at which every example runs. Replies contain times relative to it. */
export const EXAMPLE_NOW = '2027-03-01T09:30:00.000Z';

/**
 * Values that the service generates, so they differ in every installation. The test that runs the examples substitutes
 * the real values for these; every other value of an example must match exactly.
 */
export const MADE_BY_SERVICE = {
  licenseKey: 'K7QWM-2MNPR-9XHTB-V4CDE-6WFGJ',
  replacingKey: 'W4RZC-7GKXD-3YTMB-Q9FPN-5HJVA',
  trialLicenseKey: 'T3BNW-8KHQC-5ZRVA-M7XDP-2FJYE',
  keylessTrialKey: 'M2YFD-6TQRA-8NKXW-4HJCB-7PVZE',
  trialToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjEifQ.eyJhY3QiOiJ0OG03In0.w7tYb1sE4gUdq0Zr8cX5n2vL',
  token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjEifQ.eyJhY3QiOiJ4M2s5In0.q0Zr8cX5n2vLw7tYb1sE4g',
  apiKey: 'lk_q7Jt2vXc9RbLw4sNfY8ZpKdG1mHuE3oTiA6xQyV5BnMkP0wRs',
  apiKeyHash: '5f0c3b1e9a7d4826c1f3e5b7098d6a42b8e1c7f90d3a5b6472e8f1c09a4d7b36',
  operatorKey: 'lko_V4cDe6WfGjK7qWm2mNpR9xHtBq0Zr8cX5n2vLw7tYb1sE4gUd1',
  operatorKeyHash: 'c1f3e5b7098d6a42b8e1c7f90d3a5b6472e8f1c09a4d7b365f0c3b1e9a7d4826',
  consoleSessionId: '98d6a42b8e1c7f90d3a5b6472e8f1c09a4d7b365f0c3b1e9a7d4826c1f3e5b70',
  version: '1.0.0',
  engine: 'sqlite',
  eventId: 'evt_019ced3e-6a40-7000-8000-4b1d2c3e5f60',
  requestId: '0MvGbn-Qx3k9Zt',
  refusalId: '019ced3e-6a40-7000-8000-2c4e6a8b0d1f',
  violationId: 'vQ3mZ8kLr1TxYb6W',
  noteId: 'evt_019ced3e-6a40-7000-8000-0f3a5b7c9d1e',
  pseudonym: 'forgotten-k7qwm2mnpr9xhtbv@invalid',
  studioOrderId: 'so_019ced3e-6a40-7000-8000-4b1d2c3e5f60',
  licenseFile: '-----BEGIN LATCHKEY LICENSE----- eyJhbGciOiJFZERTQSJ9.eyJ2IjoxfQ.q0Zr8c -----END LATCHKEY LICENSE-----',
  fileId: 'lf_019ced3e-6a40-7000-8000-5a1b2c3d4e5f',
  keyId: 'k3f9a1c0b7d2e',
  destinationId: 'dst_019ced3e-6a40-7000-8000-6b2c3d4e5f70',
  destinationSecret: 'whsec_K7QWm2mNpR9xHtBV4cDe6WfGjT3bNw8KhQc5ZrVaM7o=',
  templateId: 'rt_019ced3e-6a40-7000-8000-8d4e5f6a7b90',
  mailId: 'mail_019ced3e-6a40-7000-8000-7c3d4e5f6a80',
  customerLink: 'https://licenses.example.com/my/enter?c=q0Zr8cX5n2vLw7tYb1sE4gUdK7qWm2mNpR9xHtBV4cD',
  connectorId: 'con_K7QWm2mNpR9xHtBV4cDe6W',
  connectorUrl: 'https://licenses.example.com/connect/con_K7QWm2mNpR9xHtBV4cDe6W',
  shopEventId: 'sev_019ced3e-6a40-7000-8000-9e5f6a7b8c10',
  firstSeatCode: 'STUDIO-K7QW-2MNP',
  secondSeatCode: 'STUDIO-T3BN-8KHQ',
} as const;

/** Names of the people and machines in the story. */
export const EXAMPLE = {
  email: 'ada@example.com',
  productId: 'paint',
  creatorId: 'studio-north',
  variant: 'pro',
  machineFingerprint: '9d2f7c51e8a04b36',
  hostname: 'Studio laptop',
  purchaseId: 'order-1001',
  discountCode: 'SPRING27',
} as const;
