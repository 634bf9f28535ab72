/** The script of the pages below /docs. It adds search and copying; everything else works without it. */

import { MARK_PATH } from './mark.ts';

/** Where the script reads the texts that it searches, when somebody searches first. */
export const SEARCH_PATH = '/docs/search.json';

/**
 * The text of the only script element. It writes texts of others with `textContent` alone, and the policy of the pages
 * forbids it to do otherwise.
 */
export const SCRIPT = String.raw`
'use strict';
{
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // A proxy may serve the pages below a path, which their links have.
  const base = document.querySelector('link[rel="icon"]').getAttribute('href').slice(0, -'${MARK_PATH}'.length);

  for (const code of document.querySelectorAll('main pre > code')) {
    const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
    const pre = code.parentElement;
    button.setAttribute('aria-label', 'Copy: ' + (pre.getAttribute('aria-label') ?? 'code'));
    button.addEventListener('click', async () => {
      let isCopied = true;
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch {
        getSelection().selectAllChildren(code);
        isCopied = false;
      }
      button.textContent = isCopied ? 'Copied' : 'Selected';
      said.textContent = isCopied ? 'Copied' : 'The text is selected. Copy it with the keyboard.';
      setTimeout(() => {
        button.textContent = 'Copy';
        said.textContent = '';
      }, 2000);
    });
    const holder = make('div', { className: 'code' });
    pre.replaceWith(holder);
    holder.append(pre, button);
  }
  const said = make('p', { className: 'unseen' });
  said.setAttribute('role', 'status');
  document.body.append(said);

  const KEPT = 'latchkey-samples';
  const kept = () => {
    try {
      return localStorage.getItem(KEPT);
    } catch {
      return null;
    }
  };
  const openEverywhere = (language) => {
    for (const each of document.querySelectorAll('.languages > details')) each.open = each.dataset.language === language;
  };
  const language = kept();
  if (document.querySelector('[data-language="' + CSS.escape(language ?? '') + '"]') !== null) openEverywhere(language);
  for (const summary of document.querySelectorAll('.languages > details > summary'))
    summary.addEventListener('click', (event) => {
      event.preventDefault();
      const before = summary.getBoundingClientRect().top;
      const chosen = summary.parentElement.dataset.language;
      openEverywhere(chosen);
      scrollBy({ top: summary.getBoundingClientRect().top - before, behavior: 'instant' });
      try {
        localStorage.setItem(KEPT, chosen);
      } catch {
        // The choice lasts until the page is left.
      }
    });

  const MAX_FOUND = 30;
  const opener = document.querySelector('#find');
  const dialog = document.querySelector('#search');
  const field = dialog.querySelector('input');
  const list = dialog.querySelector('ol');
  const count = dialog.querySelector('[role="status"]');
  let loading;
  const entries = () => {
    loading ??= fetch(base + '${SEARCH_PATH}').then((answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    });
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  const open = () => {
    if (dialog.open) return;
    dialog.showModal();
    field.select();
    entries().catch(() => {});
  };
  const rank = ([, title, , text], words) => {
    const name = title.toLowerCase();
    const body = text.toLowerCase();
    let points = 0;
    for (const word of words) {
      if (name === word || name === '/' + word) points += 100;
      else if (name.startsWith(word) || name.startsWith('/' + word)) points += 40;
      else if (name.includes(word)) points += 20;
      else if (body.includes(word)) points += 1;
      else return 0;
    }
    return points;
  };
  const marked = (text, words) => {
    const lower = text.toLowerCase();
    const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
    const first = found.length === 0 ? 0 : Math.max(0, Math.min(...found) - 40);
    const from = first === 0 ? 0 : text.indexOf(' ', first) + 1;
    const isCut = text.length > from + 150;
    const shown = text.slice(from, isCut ? Math.max(text.lastIndexOf(' ', from + 150), from + 60) : undefined);
    const parts = [];
    let rest = shown;
    while (rest !== '') {
      const places = words.map((word) => [rest.toLowerCase().indexOf(word), word.length]).filter(([at]) => at >= 0);
      if (places.length === 0) break;
      const [at, length] = places.sort((one, other) => one[0] - other[0])[0];
      parts.push(rest.slice(0, at), make('mark', { textContent: rest.slice(at, at + length) }));
      rest = rest.slice(at + length);
    }
    return [from > 0 ? '\u2026 ' : '', ...parts, rest, isCut ? ' \u2026' : ''];
  };
  const show = async () => {
    const asked = field.value;
    const words = asked.slice(0, 100).toLowerCase().split(/\s+/).filter((word) => word !== '').slice(0, 8);
    let all = [];
    try {
      all = words.length === 0 ? [] : await entries();
    } catch {
      list.replaceChildren();
      count.textContent = 'The service does not answer. Try again in a moment.';
      return;
    }
    if (field.value !== asked) return;
    const found = all
      .map((entry) => [rank(entry, words), entry])
      .filter(([points]) => points > 0)
      .sort(([one], [other]) => other - one);
    list.replaceChildren(
      ...found.slice(0, MAX_FOUND).map(([, [address, title, place, text]]) =>
        make('li', {}, make('a', { href: base + address },
          make('strong', {}, ...marked(title, words)), make('small', { textContent: place }), make('span', {}, ...marked(text, words)))),
      ),
    );
    const number = found.length > MAX_FOUND ? MAX_FOUND + ' of ' + found.length : String(found.length);
    count.textContent =
      words.length === 0 ? '' : found.length === 0 ? 'Nothing found.' : number + (found.length === 1 ? ' place' : ' places');
  };
  field.addEventListener('input', show);
  field.form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || event.target.closest('a') !== null) dialog.close();
  });
  dialog.addEventListener('keydown', (event) => {
    // A search field takes the first Escape to empty itself.
    if (event.key === 'Escape') dialog.close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const stops = [field, ...list.querySelectorAll('a')];
    stops[Math.min(stops.length - 1, Math.max(0, stops.indexOf(document.activeElement) + step))].focus();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input')) return;
    event.preventDefault();
    open();
  });
  opener.addEventListener('click', open);
  opener.hidden = false;
}
`;
