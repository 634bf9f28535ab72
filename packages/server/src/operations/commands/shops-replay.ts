import { findConnector } from '../../commerce/connectors/connector-store.ts';
import { listEventIdsIn, makeEventsDue } from '../../commerce/connectors/event-store.ts';
import { SHOP_EVENT_STATES, type ShopEventState } from '../../commerce/connectors/inbox-state.ts';
import { counted } from '../../ground/base/count-words.ts';
import { ConfigValueError, type Form } from '../../runtime/config/forms.ts';
import { type Command, inDatabase, optionValue, originOf } from './command.ts';

const NAME = 'shops replay';
/** Events that one run makes due, the oldest first. */
const MAX_QUEUED = 20_000;
/** States as words of a command line. */
const STATES = new Map(SHOP_EVENT_STATES.map((state) => [state.replaceAll(' ', '-'), state]));

const stateForm: Form<ShopEventState> = (text) => {
  const state = STATES.get(text);
  if (state === undefined) throw new ConfigValueError(`must be one of ${[...STATES.keys()].join(', ')}`);
  return state;
};

export const shopsReplay: Command = {
  name: NAME,
  summary: 'apply the events of a connector in one state once more; nothing happens twice',
  options: {
    connector: { meaning: 'the connector, as shops lists it', value: 'CONNECTOR-ID', isRequired: true },
    state: {
      meaning: `the state of the events: ${[...STATES.keys()].join(', ')}`,
      value: 'STATE',
      isRequired: true,
    },
  },
  example: `${NAME} --connector con_xxxxxxxxxxxxxxxxxxxxxx --state attention`,
  run: ({ config, options, print }) =>
    inDatabase(config, async (storage) => {
      const connectorId = options.get('connector')!;
      const state = optionValue('state', stateForm, options.get('state')!);
      const connector = await storage.read((sql) => findConnector(sql, connectorId, { creatorId: null }));
      if (connector === undefined) throw new Error(`There is no connector ${connectorId}. shops lists them.`);
      if (connector.state !== 'on')
        throw new Error(
          `The connector is ${connector.state}, so its events are not applied. /updateConnector turns it on.`,
        );
      const { now } = await originOf(NAME, storage);
      const queued = await storage.transaction(async (tx) =>
        makeEventsDue(tx, await listEventIdsIn(tx, connectorId, { state }, MAX_QUEUED), now),
      );
      print(`Queued ${counted(queued, 'event')}. A running service applies them.`);
      if (queued === MAX_QUEUED) print('There may be more: run the command again once these are applied.');
    }),
};
