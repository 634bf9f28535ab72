/** Self-service: the pages for customers at /my, and links to them. */
import type { Slice } from '../../platform/slice/slice.ts';
import { askForCode } from './ask-for-code.ts';
import { askForMyFile } from './ask-for-my-file.ts';
import { codeMail } from './code-mail.ts';
import { createCustomerLink } from './create-customer-link.ts';
import { enterCode } from './enter-code.ts';
import { enterLink } from './enter-link.ts';
import { getMyLicense } from './get-my-license.ts';
import { listMyLicenses } from './list-my-licenses.ts';
import { mailMyKeys } from './mail-my-keys.ts';
import { makeMyFile } from './make-my-file.ts';
import { customerRefusals, selfServiceRefusals } from './refusals.ts';
import { releaseMyDevice } from './release-my-device.ts';
import { releaseMyUser } from './release-my-user.ts';
import { replaceMyKey } from './replace-my-key.ts';
import { showLogo, showShop } from './show-shop.ts';
import { signOutCustomer } from './sign-out-customer.ts';
import { selfServiceTables } from './tables.ts';

export const selfService: Slice = {
  sections: [
    {
      title: 'Self-service',
      description:
        'Customers help themselves on the pages at /my: they find their keys, see why a computer was refused, and free ' +
        'one. `LATCHKEY_SELF_SERVICE` switches the pages on.',
      endpoints: [createCustomerLink],
    },
  ],
  inner: [
    askForCode,
    enterCode,
    enterLink,
    listMyLicenses,
    getMyLicense,
    releaseMyDevice,
    askForMyFile,
    releaseMyUser,
    makeMyFile,
    replaceMyKey,
    mailMyKeys,
    signOutCustomer,
    showShop,
    showLogo,
  ],
  refusals: [selfServiceRefusals, customerRefusals],
  tables: selfServiceTables,
  mails: [codeMail],
  // Loaded only where it is on: its texts have letters that make Node.js keep the whole file in two bytes each.
  async sites({ ruleContext: { settings } }) {
    if (settings.selfService === null) return [];
    const { customerSite } = await import('./site.ts');
    return [customerSite(new URL(settings.selfService.publicUrl).origin)];
  },
};
