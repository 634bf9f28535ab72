/** The list of sites: everything that answers paths besides the endpoints. */
import { sections } from '../../app.ts';
import type { SelfServiceSettings } from '../../customers/self-service/settings.ts';
import type { Clock } from '../../ground/base/clock.ts';
import type { Engine } from '../engines/engine.ts';
import { consoleSite } from '../http/console-files.ts';
import { documentsSite } from '../http/documents.ts';
import type { Health } from '../http/health.ts';
import { keyDocuments } from '../http/key-documents.ts';
import type { Site } from '../http/site.ts';
import { describedPaths, referenceDocuments } from '../reference/documents.ts';
import { guideDocuments } from '../reference/guides/guide-documents.ts';
import { missingPageSite } from '../reference/guides/missing-page-site.ts';

/** Dependencies of {@link sitesOf}. */
export interface SitesParts {
  /** Null if the console is not built, undefined if it is off. */
  readonly consoleFolder: string | null | undefined;
  /** Null if self-service is off. */
  readonly selfService: Pick<SelfServiceSettings, 'publicUrl'> | null;
  readonly health: Pick<Health, 'documents'>;
  readonly publishedKeys: Engine['publishedKeys'];
  readonly clock: Clock;
}

/** Every site of a service, in the order in which they are asked for a path. */
export async function sitesOf(parts: SitesParts): Promise<readonly Site[]> {
  const { consoleFolder, selfService, health, publishedKeys, clock } = parts;
  const hasConsole = consoleFolder !== undefined;
  return [
    ...(hasConsole ? [consoleSite(consoleFolder)] : []),
    ...(selfService === null ? [] : [await loadCustomerSite(selfService.publicUrl)]),
    documentsSite(health.documents),
    documentsSite(referenceDocuments(sections, hasConsole)),
    { ...documentsSite(guideDocuments(describedPaths(sections), hasConsole)), countedPaths: [] },
    missingPageSite(hasConsole),
    documentsSite(keyDocuments(publishedKeys, clock)),
  ];
}

/** Loaded only where it is on: its texts have letters that make Node.js keep the whole file in two bytes each. */
async function loadCustomerSite(publicUrl: string): Promise<Site> {
  const { customerSite } = await import('../http/customer-site.ts');
  return customerSite(publicUrl);
}
