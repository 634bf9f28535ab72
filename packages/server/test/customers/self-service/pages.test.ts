/** The pages for customers as templates: every state in every language, with names that strangers chose. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contrastOf, MIN_ACCENT_CONTRAST, textColourOn } from '../../../src/customers/brand/colour.ts';
import {
  formToken,
  isFormToken,
  mintCookieSecret,
  readCookies,
  sessionValue,
} from '../../../src/customers/self-service/pages/cookies.ts';
import { COPY_SCRIPT } from '../../../src/customers/self-service/pages/copy-script.ts';
import { framed } from '../../../src/customers/self-service/pages/frame.ts';
import { type Html, html, nameHtml, titleText } from '../../../src/customers/self-service/pages/html.ts';
import { stylesAddress, stylesWith } from '../../../src/customers/self-service/pages/styles.ts';
import { preferredLanguage, TEXTS } from '../../../src/customers/self-service/pages/texts/languages.ts';
import { LANGUAGES, type Language } from '../../../src/customers/self-service/shapes.ts';
import { hasUtf8Charset, readForm } from '../../../src/platform/sites/form-body.ts';
import { isFromOwnPage } from '../../../src/platform/sites/own-page.ts';
import { HOSTILE, samplePages } from './sample-pages.ts';

/** The text of a sample page. */
function pageNamed(language: Language, name: string): string {
  const page = samplePages(language).find((each) => each.name === name);
  assert.ok(page !== undefined, name);
  return framed(page.view, page.content);
}

/** Largest size of a page with its styles. */
const MAX_BYTES = 22 * 1024;

describe('the pages for customers', () => {
  for (const language of LANGUAGES)
    it(`weigh less than 22 KB with their styles in ${language}`, () => {
      const styles = Buffer.byteLength(stylesWith(''));
      for (const { name, view, content } of samplePages(language))
        assert.ok(Buffer.byteLength(framed(view, content)) + styles < MAX_BYTES, name);
    });

  it('have no style, no handler of their own, and no script but the one that copies', () => {
    for (const name of [undefined, HOSTILE])
      for (const { view, content } of samplePages('en', name)) {
        const text = framed(view, content).replace(COPY_SCRIPT.text, '');
        assert.doesNotMatch(text, /<script|<style|<iframe|<object| style=|<[^>]* on\w+=|javascript:/i);
      }
  });

  it('say which computers a license shows, and the releases that are left, only where there are such', () => {
    const { devices } = TEXTS.en;
    const has = (name: string, sentence: string) => pageNamed('en', name).includes(sentence);
    assert.deepEqual([has('license', devices.more), has('license-full', devices.more)], [false, true]);
    const shows = ['license', 'license-unused', 'license-revoked'].map((name) => has(name, 'within 30 days'));
    assert.deepEqual(shows, [true, false, false]);
  });

  it('say until when a license is lent, updates last and units count, in every language', () => {
    for (const language of LANGUAGES) {
      const { license } = TEXTS[language];
      const [plain, full] = [pageNamed(language, 'license'), pageNamed(language, 'license-full')];
      for (const text of [license.updates, license.slotsUsed(990, 1000, false), license.slotsUsed(5, null, false)]) {
        assert.ok(full.includes(html`${text}`.text), text);
        assert.ok(!plain.includes(html`${text}`.text), text);
      }
      const [until = ''] = html`${license.grace(html`|`)}`.text.split('|');
      assert.deepEqual([full.includes(until), plain.includes(until)], [true, false]);
    }
  });

  it('name the slots of a license in every language, with and without a limit', () => {
    for (const { license } of Object.values(TEXTS)) {
      const [limited, unlimited] = [license.slotsUsed(2, 7, false), license.slotsUsed(2, null, false)];
      assert.match(limited, /2\D+7/);
      assert.match(unlimited, /^2\D+$/);
      assert.doesNotMatch(unlimited, /null/);
      assert.ok(license.slotsUsed(2, 7, true).length > limited.length, 'at once');
    }
  });

  it('name one computer of a license in other words than several, in every language', () => {
    const words: Readonly<Record<Language, readonly [string, string]>> = {
      en: ['1 computer, and that one is taken', '7 computers, and all of them are taken'],
      de: ['einen Computer, und der ist belegt', '7 Computer, und alle sind belegt'],
      fr: ['1 ordinateur, et il est pris', '7 ordinateurs, et tous sont pris'],
      es: ['1 ordenador, y está ocupado', '7 ordenadores, y todos están ocupados'],
    };
    for (const language of LANGUAGES)
      for (const [index, slots] of [1, 7].entries()) {
        const sentence = html`${TEXTS[language].refusals.noSlot(null, html`3 December`, slots)}`.text;
        assert.ok(sentence.includes(words[language][index]!), sentence);
      }
  });

  it('say in every language from which day on a computer can be freed, or that it can be later', () => {
    for (const { devices } of Object.values(TEXTS))
      for (const sentenceFor of [devices.spent, (day: Html | null) => devices.budget(0, 2, day)]) {
        const [onDay, later] = [html`${sentenceFor(html`3 December`)}`.text, html`${sentenceFor(null)}`.text];
        assert.ok(onDay.includes('3 December'), onDay);
        assert.ok(!later.includes('3 December') && later !== onDay.replace('3 December', ''), later);
      }
  });

  it('count one computer in the singular in French, and several in the plural', () => {
    const left = (count: number) => html`${TEXTS.fr.devices.budget(count, 3, null)}`.text;
    assert.match(left(1), /encore libérer 1 ordinateur ;/);
    assert.match(left(2), /encore libérer 2 ordinateurs ;/);
  });

  it('escape names that contain elements, quotes and ampersands', () => {
    for (const { view, content } of samplePages('de', HOSTILE)) {
      const text = framed(view, content);
      assert.equal(text.match(/<title>/g)?.length, 1);
      assert.equal(text.match(/<\/title>/g)?.length, 1);
      for (const [tag] of text.replaceAll(/"[^"]*"/g, '').matchAll(/<[^>]*>/g))
        assert.doesNotMatch(tag, /alert|['&]/, tag);
    }
  });

  it('keep marks of direction in names from the words around them', () => {
    for (const { name, view, content } of samplePages('en', HOSTILE)) {
      const text = framed(view, content);
      const [, title = ''] = /<title>(.*?)<\/title>/s.exec(text) ?? [];
      assert.doesNotMatch(title, /\u202e/, name);
      const outside = text.replace(/<bdi>.*?<\/bdi>/gs, '').replace(/<(?:input|textarea)[^>]*>/g, '');
      assert.doesNotMatch(outside, /\u202e/, name);
    }
  });

  it('say in the title that a form was refused, and why beside its field', () => {
    const refused = samplePages('en').filter(({ content }) => content.isRefused);
    for (const { view, content } of refused) assert.match(framed(view, content), /<title>Error: /);
    for (const field of ['ask-refused', 'code-refused', 'license-file-refused']) {
      const text = pageNamed('en', field);
      assert.match(text, /<title>Error: /);
      const [, ids = ''] = /aria-invalid="true" aria-describedby="([^"]*)"/.exec(text) ?? [];
      const [errorId] = ids.split(' ');
      assert.ok(errorId !== undefined && text.includes(`id="${errorId}"`), field);
    }
  });

  it('name the day of the next file, and of the next computer that may be freed, in every language', () => {
    for (const language of LANGUAGES)
      for (const state of ['license-file-refused', 'license-spent'])
        assert.match(pageNamed(language, state), /<time datetime="2026-12-03/, `${state} in ${language}`);
  });

  it('ask nobody to write to a support that the shop does not name', () => {
    for (const language of LANGUAGES) {
      const [known, unknown] = ['license-revoked', 'license-revoked-unsupported'].map((name) =>
        pageNamed(language, name),
      );
      assert.match(known!, /role="alert"><p>[^<]*<a href="mailto:/);
      assert.doesNotMatch(unknown!, /support|assistance|asistencia/i);
      const [, error = ''] =
        /id="request-error">(.*?)<\/p>/.exec(pageNamed(language, 'license-file-unsupported')) ?? [];
      assert.match(error, /^[^<]+\.$/);
      assert.doesNotMatch(error, /support|assistance|asistencia/i);
    }
  });

  it('show neither computers nor their number of a license that was withdrawn', () => {
    for (const language of LANGUAGES) {
      const text = pageNamed(language, 'license-revoked');
      const { license, devices } = TEXTS[language];
      assert.ok(!text.includes(`<dt>${license.slots}</dt>`) && !text.includes(devices.none), language);
    }
  });

  it('print the key of a license, which a press shows on the screen', () => {
    const text = pageNamed('en', 'license');
    assert.match(text, /<div class="printed"><code class="key">K7QWA-2MNPB-9XYZC-4RSTD-6UVWE<\/code><\/div>/);
    assert.match(stylesWith(''), /\.printed \{ display: none; \}.*@media print \{.*\.printed \{ display: block; \}/s);
  });

  it('name the support of the shop after the sentence that a license was withdrawn', () => {
    for (const language of LANGUAGES) {
      const [, notice] = /role="alert"><p>(.*?)<\/p>/.exec(pageNamed(language, 'license-revoked')) ?? [];
      assert.match(notice ?? '', /^[^<]+[^<\s] <a href="mailto:help%40lumen-audio\.example">[^\n]*<\/a>$/, language);
    }
  });

  it('lead to each other in every language, and stay at their address', () => {
    for (const { view, content } of samplePages('fr'))
      for (const language of LANGUAGES)
        assert.ok(framed(view, content).includes(`lang=${language}" lang="${language}"`));
  });

  it('say every sentence in every language', () => {
    const sentences = (texts: object): string[] =>
      Object.values(texts).flatMap((each) =>
        typeof each === 'string' ? [each] : typeof each === 'object' ? sentences(each) : [],
      );
    const ofEnglish = sentences(TEXTS.en);
    for (const language of LANGUAGES.filter((each) => each !== 'en')) {
      const own = sentences(TEXTS[language]);
      assert.equal(own.length, ofEnglish.length);
      const same = own.filter((each, index) => each.length > 12 && each === ofEnglish[index]);
      assert.deepEqual(same, [], language);
      assert.deepEqual(
        own.filter((each) => each.trim() === ''),
        [],
      );
    }
  });
});

describe('a text in a page', () => {
  it('becomes HTML in one way: escaped for elements and for attributes', () => {
    const value = `<a href="x" title='y'>&`;
    assert.equal(html`<p title="${value}">${value}</p>`.text.match(/[<>"']/g)?.join(''), '<""></>'.replace('/>', '>'));
    assert.equal(html`${null}${false}${[html`<b>`, 'a<', 1]}`.text, '<b>a&#60;1');
  });

  it('is one line where it is a name', () => {
    assert.equal(nameHtml('a\r\nb\u2028c\u0000').text, '<bdi>a b c</bdi>');
    assert.equal(titleText('\u202eabc\u2066\n'), 'abc');
  });
});

describe('the language of a page', () => {
  it('is the one that the browser prefers and the pages have', () => {
    const cases: readonly (readonly [string | undefined, string])[] = [
      [undefined, 'en'],
      ['de-AT,de;q=0.9,en;q=0.8', 'de'],
      ['pt-BR,es;q=0.5,fr;q=0.7', 'fr'],
      ['de;q=0, es', 'es'],
      ['*, ;;q=x', 'en'],
    ];
    for (const [header, language] of cases) assert.equal(preferredLanguage(header), language, String(header));
  });
});

describe('the accent of a shop', () => {
  it('has white or black text with a contrast of 4.5 on every colour', () => {
    for (let grey = 0; grey < 256; grey += 1) {
      const colour = `#${grey.toString(16).padStart(2, '0').repeat(3)}`;
      assert.ok(contrastOf(colour, textColourOn(colour)) >= 4.5, colour);
    }
    assert.ok(contrastOf('#0b6a5b', '#ffffff') >= MIN_ACCENT_CONTRAST);
    assert.equal(contrastOf('#000000', '#ffffff'), 21);
  });

  it('stands in the address of the styles, where any other text counts as none', () => {
    assert.match(stylesAddress('#b3452c'), /^\/my\/style\.css\?accent=b3452c&v=[\w-]{8}$/);
    assert.ok(stylesWith('b3452c').startsWith(':root { --accent: #b3452c; --on-accent: #ffffff; }'));
    assert.equal(stylesWith('red;} body{display:none'), stylesWith(''));
  });
});

describe('a form', () => {
  const read = (text: string) => readForm(Buffer.from(text, 'latin1'));

  it('is read as browsers write it', () => {
    assert.deepEqual(read('email=ada%40example.com&code=K7+2%26&empty=&bare'), {
      email: 'ada@example.com',
      code: 'K7 2&',
      empty: '',
      bare: '',
    });
    assert.deepEqual(read(''), {});
    assert.deepEqual(read('a=%E2%82%AC=1'), { a: '€=1' });
  });

  it('is refused whole if it is damaged', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=1`).join('&');
    assert.notEqual(read(fields(20)), null);
    for (const text of [fields(21), 'a=1&a=2', 'a=%', 'a=%zz', 'a=%ff', 'a=%e2%82', 'a=\u00e4', 'a=1\r\n'])
      assert.equal(read(text), null, text);
  });

  it('has the charset UTF-8 or names none', () => {
    const type = 'application/x-www-form-urlencoded';
    for (const good of [type, `${type}; charset=UTF-8`, `${type};charset="utf-8"`])
      assert.ok(hasUtf8Charset(good), good);
    for (const bad of [`${type}; charset=iso-8859-1`, `${type}; charset=utf-7`, `${type}; charset=`])
      assert.ok(!hasUtf8Charset(bad), bad);
  });

  it('counts only from a page of the service itself', () => {
    const origin = 'https://licenses.example.com';
    const from = (headers: Record<string, string>) => isFromOwnPage({ host: 'node-1:8443', ...headers }, origin);
    assert.ok(from({ 'sec-fetch-site': 'same-origin' }));
    assert.ok(from({ origin }));
    assert.ok(from({ origin: 'https://node-1:8443' }));
    for (const site of ['cross-site', 'same-site', 'none', ''])
      assert.ok(!from({ 'sec-fetch-site': site, origin }), site);
    for (const foreign of ['null', 'https://evil.example', 'http://node-1:8443', `${origin}.evil.example`])
      assert.ok(!from({ origin: foreign }), foreign);
    assert.ok(!from({}));
  });

  it('carries a token that only the same session and the same form have', () => {
    const [one, other] = [mintCookieSecret(), mintCookieSecret()];
    const token = formToken(one, 'release');
    assert.ok(isFormToken(one, 'release', token));
    assert.ok(!isFormToken(one, 'sign-out', token));
    assert.ok(!isFormToken(other, 'release', token));
    for (const bad of [undefined, '', 'a', `${token}a`]) assert.ok(!isFormToken(one, 'release', bad));
  });
});

describe('the cookies of the pages', () => {
  const secret = mintCookieSecret();

  it('hold the secret of a session and its shop', () => {
    const header = `other=1; __Host-latchkey-my=${sessionValue({ secret, shopId: 'ümlaut & co' })}`;
    assert.deepEqual(readCookies(header).session, { secret, shopId: 'ümlaut & co' });
    assert.deepEqual(readCookies(`__Host-latchkey-my=${secret}`).session, { secret, shopId: null });
  });

  it('count as none if they occur twice or have another form', () => {
    for (const header of [
      undefined,
      '',
      `__Host-latchkey-my=${secret}; __Host-latchkey-my=${secret}`,
      '__Host-latchkey-my=a',
    ])
      assert.deepEqual(readCookies(header), { session: null, asked: null, known: null, language: null });
  });
});
