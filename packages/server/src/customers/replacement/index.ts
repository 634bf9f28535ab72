/** New keys in place of others (rules 3.5). */
import type { Slice } from '../../platform/slice/slice.ts';
import { replaceLicense } from './replace-license.ts';

export const replacement: Slice = {
  sections: [
    {
      title: 'Replacement of keys',
      description: 'New keys for licenses whose keys others know.',
      endpoints: [replaceLicense],
    },
  ],
};
