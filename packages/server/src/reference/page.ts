/** The reference page at /docs: the OpenAPI description as one readable document, without scripts or foreign content. */
import { createHash } from 'node:crypto';
import { needsCredential } from '../endpoint/caller.ts';
import type { Endpoint, Section } from '../endpoint/endpoint.ts';
import { type RefusalCode, statusOf, textPattern } from '../refusals.ts';

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 6rem; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 3rem; } h3 { margin-top: 2.5rem; font-family: ui-monospace, monospace; }
h3 small { font: 13px system-ui, sans-serif; opacity: .75; margin-left: .5rem; }
table { border-collapse: collapse; width: 100%; margin: .75rem 0; font-size: 15px; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
td:first-child, td:last-child { overflow-wrap: anywhere; } @media (min-width: 40em) { td:first-child { white-space: nowrap; } } code { font-family: ui-monospace, monospace; font-size: .92em; }
nav { columns: 3 14rem; } nav a { display: block; }
`;

/** Allows the page its own style and nothing else. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'`;

const ACCESS_WORDS = {
  client: 'no credential',
  anyone: 'no credential, or any',
  admin: 'adminSecret or API key',
  superAdmin: 'adminSecret',
  webhook: 'webhook secret',
  webhookOrKey: 'webhook secret or API key',
} as const;

/** The whole page as HTML. */
export function referencePage(sections: readonly Section[]): string {
  const links = sections.flatMap(({ endpoints }) => endpoints.map(({ path }) => `<a href="#${path}">${path}</a>`));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Latchkey reference</title><style>${STYLE}</style></head><body>
<h1>Latchkey reference</h1>
<p>HTTPS only; bodies are JSON of at most 64 KiB; timestamps are ISO 8601 in UTC. Unknown fields are ignored; null and
empty strings count as absent. Errors are <code>{"success": false, "error": "..."}</code>, with <code>valid</code>
instead of <code>success</code> on /verify and /validate. Any POST but those to the client endpoints may carry an
<code>Idempotency-Key</code>: the answer of the first success is given again for 24 hours. For machines: <a href="/openapi.json">openapi.json</a>.</p>
<nav>${links.join('\n')}</nav>
${sections.map(({ title, endpoints }) => `<h2>${escaped(title)}</h2>${endpoints.map(endpointPart).join('\n')}`).join('\n')}
</body></html>
`;
}

function endpointPart(endpoint: Endpoint): string {
  const { path, methods, access, summary, description, fields, reply, successStatus } = endpoint;
  return `<section id="${path}"><h3>${path} <small>${methods.join(', ')} · ${ACCESS_WORDS[access]}</small></h3>
<p><strong>${escaped(summary)}.</strong> ${escaped(description)}</p>
${table('Request', fields)}${table(`Answer ${successStatus}`, reply)}${errorTable(endpoint)}</section>`;
}

function table(title: string, schema: unknown): string {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, unknown>; required?: string[] };
  const rows = Object.entries(properties).map(([name, property]) => {
    const { description = '' } = property as { description?: string };
    const must = required.includes(name) ? '' : ' <small>optional</small>';
    return `<tr><td><code>${name}</code>${must}</td><td>${escaped(typeWords(property))}</td><td>${escaped(description)}</td></tr>`;
  });
  return rows.length === 0 ? '' : `<table><tr><th>${title}</th><th></th><th></th></tr>${rows.join('')}</table>`;
}

function errorTable({ access, missing, refusals }: Endpoint): string {
  const rows: [number, string][] = refusals.map((code: RefusalCode) => [statusOf(code), textPattern(code)]);
  if (missing !== '') rows.push([400, missing]);
  if (needsCredential(access)) rows.push([401, textPattern('unauthorized')]);
  if (access !== 'client') rows.push([429, textPattern('wrong_secret_rate')]);
  rows.sort(([one], [other]) => one - other);
  const cells = rows.map(([status, text]) => `<tr><td>${status}</td><td>${escaped(text)}</td></tr>`);
  return cells.length === 0 ? '' : `<table><tr><th>Refusal</th><th></th></tr>${cells.join('')}</table>`;
}

function typeWords(schema: unknown): string {
  const { type, enum: words, const: only, anyOf, items } = schema as Record<string, unknown>;
  if (Array.isArray(words)) return words.join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(anyOf)) return anyOf.map(typeWords).join(' or ');
  return type === 'array' ? `list of ${typeWords(items)}` : String(type ?? 'any');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
