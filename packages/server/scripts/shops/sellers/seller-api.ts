/** The APIs of the sellers' stand-ins, at one address on this machine. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LookUp } from '../../../src/commerce/connectors/sources/source.ts';
import { SOURCES } from '../../../src/commerce/connectors/sources/source-list.ts';
import type { Seller } from './seller.ts';

const LOOK_UPS: readonly LookUp['what'][] = ['session_items', 'invoice_lines', 'customer', 'sale'];

/** A request that the APIs got. */
export interface Asked {
  readonly source: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

export class SellerApi {
  /** The status of the next answers; 200 answers the content of the seller. */
  status = 200;
  readonly asked: Asked[] = [];
  readonly #sellers = new Map<string, Set<Seller>>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const [, source = '', ...rest] = (request.url ?? '').split('/');
      const path = `/${rest.join('/')}`;
      this.asked.push({ source, path, authorization: request.headers.authorization });
      const answer = this.#answerTo(source, path);
      response.writeHead(this.status !== 200 ? this.status : answer === undefined ? 404 : 200, {
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(answer ?? {}));
    });
  }

  /** Starts it on a free port, or on a given one. */
  static async start(port = 0): Promise<SellerApi> {
    const api = new SellerApi();
    await new Promise<void>((resolve) => api.#server.listen(port, '127.0.0.1', resolve));
    return api;
  }

  /** The addresses of the APIs, by the name of the seller. */
  get origins(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return Object.fromEntries(SOURCES.map(({ name }) => [name, `http://127.0.0.1:${port}/${name}`]));
  }

  /** Lets the APIs know a seller with its buyer. */
  add(seller: Seller): void {
    const { name } = seller.source;
    this.#sellers.set(name, (this.#sellers.get(name) ?? new Set()).add(seller));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answerTo(source: string, path: string): unknown {
    const sellers = [...(this.#sellers.get(source) ?? [])];
    const list = pageOf(path, (name) => sellers.flatMap((seller) => seller.listed?.(name) ?? []));
    if (list !== undefined) return list;
    for (const seller of sellers) {
      const lookUp = lookUpAt(seller, path);
      const answer = lookUp === undefined ? undefined : seller.answer(lookUp);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
}

/** Entries of a page. */
const PAGE = 100;

/** The page of a list that a path asks for, in the form of its seller; undefined for a path of no list. */
function pageOf(path: string, entriesOf: (list: string) => readonly unknown[]): unknown {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const [, version, list = '', ...more] = pathname.split('/');
  if (more.length > 0) return undefined;
  if (version === 'v2' && list === 'sales') {
    const first = Number(searchParams.get('page_key') ?? 0);
    const entries = entriesOf(list);
    const next = first + PAGE < entries.length ? { next_page_url: `/v2/sales?page_key=${first + PAGE}` } : {};
    return { success: true, sales: entries.slice(first, first + PAGE), ...next };
  }
  if (version !== 'v1') return undefined;
  if (list === 'events') {
    const since = Number(searchParams.get('created[gte]'));
    const entries = (entriesOf(list) as readonly StripeEvent[])
      .filter(({ created }) => created >= since)
      .toSorted((one, other) => other.created - one.created);
    const after = entries.findIndex(({ id }) => id === searchParams.get('starting_after'));
    const data = entries.slice(after + 1, after + 1 + PAGE);
    return { object: 'list', data, has_more: after + 1 + PAGE < entries.length };
  }
  if (!searchParams.has('page[number]')) return undefined;
  const currentPage = Number(searchParams.get('page[number]'));
  const entries = entriesOf(list);
  const lastPage = Math.max(1, Math.ceil(entries.length / PAGE));
  return {
    meta: { page: { currentPage, lastPage } },
    data: entries.slice((currentPage - 1) * PAGE, currentPage * PAGE),
  };
}

interface StripeEvent {
  readonly id: string;
  readonly created: number;
}

/** The look-up that a path asks for. */
function lookUpAt({ source }: Seller, path: string): LookUp | undefined {
  const ids = path.split(/[/?]/).map(decodeURIComponent);
  const all = ids.flatMap((id) => LOOK_UPS.map((what) => ({ what, id })));
  return all.find((each) => source.lookUps?.pathOf(each) === path);
}
