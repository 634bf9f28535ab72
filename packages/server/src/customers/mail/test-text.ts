/** The e-mail that tests the mail server, of the command as of the console. */
import { layOut } from './layout.ts';

export const TEST_TEXT = {
  ...layOut('en', 'Test e-mail of Latchkey', [
    'This is a test e-mail.',
    'If you can read it, this service can send e-mails to your customers.',
  ]),
  replyTo: null,
  fromName: null,
} as const;
