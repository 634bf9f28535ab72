/** Every address of the pages, with its steps. */
import {
  askForFile,
  makeFile,
  release,
  releaseUser,
  sendKeys,
  showLicense,
  showLicenses,
  showRelease,
  showReleaseUser,
  signOut,
} from './license-steps.ts';
import { replaceKey, showNewKey } from './new-key-steps.ts';
import { askForCode, enterCode, enterLink, showAsk, showCode, showLink } from './sign-in-steps.ts';
import type { Answering } from './visitor.ts';

/** The steps of a path by method; HEAD is answered as GET, without the page. */
export interface Steps {
  readonly GET?: Answering;
  readonly POST?: Answering;
}

export const STEPS: ReadonlyMap<string, Steps> = new Map([
  ['/my', { GET: showAsk, POST: askForCode }],
  ['/my/code', { GET: showCode, POST: enterCode }],
  ['/my/enter', { GET: showLink, POST: enterLink }],
  ['/my/licenses', { GET: showLicenses }],
  ['/my/license', { GET: showLicense }],
  ['/my/release', { GET: showRelease, POST: release }],
  ['/my/release-user', { GET: showReleaseUser, POST: releaseUser }],
  ['/my/new-key', { GET: showNewKey, POST: replaceKey }],
  ['/my/send-keys', { POST: sendKeys }],
  ['/my/file', { POST: askForFile }],
  ['/my/make-file', { POST: makeFile }],
  ['/my/sign-out', { POST: signOut }],
]);
