/** The pages for customers over HTTP: programs that follow links, foreign pages, damaged forms, proxies. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { COPY_SCRIPT, COPY_SCRIPT_SOURCE } from '../../../src/customers/self-service/pages/copy-script.ts';
import { HOUR_MS } from '../../../src/ground/base/clock.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { MailServer } from '../../support/mail-server.ts';
import { rowOf } from '../../support/own-connection.ts';
import { CustomerBrowser, formOf, linksOf, OWN_FORM, type PageAnswer } from './customer-browser.ts';
import { HOSTILE } from './sample-pages.ts';
import { linkFor, makeMover, PUBLIC_URL, SELF_SERVICE, signInByLink } from './shop.ts';

const KEY = /[A-Z2-9]{5}(-[A-Z2-9]{5}){4}/;

for (const engine of engines)
  describe(`the pages for customers on ${engine}`, () => {
    let app: TestApp;
    let mails: MailServer;
    before(async () => {
      mails = await MailServer.start();
      const smtp = { LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mails.port}`, LATCHKEY_MAIL_FROM: 'licenses@example.com' };
      app = await startApp(engine, { ...SELF_SERVICE, ...smtp });
    });
    after(async () => {
      await app.stop();
      await mails.close();
    });

    it('mail a code to an address with a license and to no other, and the keys to the customer', async () => {
      const { email, licenseKey } = await makeMover(app);
      const revoked = await app.license({ email });
      await app.admin('/revokeLicense', { licenseKey: revoked, reason: 'fraud' });
      const requests: string[] = [];
      const send: TestApp['send'] = (path, body, options) => {
        requests.push(`${options?.method} ${path}`);
        return app.send(path, body, options);
      };
      const browser = new CustomerBrowser({ send });
      let codePage: PageAnswer | undefined;
      for (const [visitor, page, typed] of [
        [new CustomerBrowser(app), '/my', 'nobody@example.com'],
        [new CustomerBrowser(app), '/my?shop=shop-of-somebody-else', email],
        [browser, '/my?lang=fr', email],
      ] as const)
        codePage = await visitor.submit(await visitor.open(page), '/my', { email: typed });
      const [asked] = await mails.hasReceived(1);
      const code = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(asked?.mail.text ?? '')?.[0] ?? '';
      const licenses = await browser.submit(codePage!, '/my/code', { code });
      assert.match(licenses.body, /Vos licences/);
      const signIn = ['POST /my', 'GET /my/code', 'POST /my/code', 'GET /my/licenses'];
      assert.deepEqual(requests, ['GET /my?lang=fr', ...signIn]);
      assert.match(
        (await browser.submit(licenses, '/my/send-keys')).body,
        /un message avec vos clés|Un message avec vos clés/,
      );
      const received = await mails.hasReceived(2);
      assert.deepEqual(
        received.map(({ to }) => to),
        [[email], [email]],
      );
      assert.ok(received[1]?.mail.text?.includes(licenseKey));
      assert.ok(!received[1]?.mail.text?.includes(revoked));
      for (let count = 0; count < 2; count += 1) await browser.submit(licenses, '/my/send-keys');
      assert.match((await browser.submit(licenses, '/my/send-keys')).body, /envoyées il y a peu/);
      await mails.hasReceived(4);
      await browser.submit(await browser.open('/my'), '/my', { email });
      const known = 'select count(*) as number from customer_sign_in where is_known = 1 and email_folded =';
      assert.equal(Number((await rowOf(app.database, `${known} '${email}'`))?.number), 1);
      await mails.hasReceived(5);
    });

    it('mail fifty keys at most, those of the newest licenses, and say where there are more', async () => {
      const email = 'collector@example.com';
      const keys: string[] = [];
      const buy = async () => {
        app.clock.move(1);
        keys.push(await app.license({ email }));
      };
      while (keys.length < 50) await buy();
      const { browser, licenses } = await signInByLink(app, { email });
      for (const hasMore of [false, true]) {
        const count = mails.received.length;
        await browser.submit(licenses, '/my/send-keys');
        const text = (await mails.hasReceived(count + 1))[count]?.mail.text ?? '';
        const mailed = keys.filter((licenseKey) => text.includes(licenseKey));
        assert.deepEqual(mailed, keys.slice(-50));
        assert.equal(text.includes('You have more licenses than fit into this e-mail.'), hasMore);
        await buy();
      }
    });

    /** A browser that is signed in, on the page of its only license. */
    async function signedIn(names: Parameters<typeof makeMover>[1] = {}) {
      const mover = await makeMover(app, names);
      return { ...mover, ...(await signInByLink(app, mover)) };
    }

    it('use a link up by its button alone: GET and HEAD change nothing, however often', async () => {
      const link = await linkFor(app, await makeMover(app));
      const scanner = new CustomerBrowser(app);
      for (const method of ['GET', 'HEAD', 'GET', 'HEAD']) {
        const answer = await scanner.request(method, link);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers['set-cookie'], undefined);
        if (method === 'HEAD') assert.equal(answer.body, '');
      }
      const browser = new CustomerBrowser(app);
      const entry = await browser.open(link);
      assert.match((await browser.submit(entry, '/my/enter')).body, /Signed in as/);
      const again = await new CustomerBrowser(app).submit(entry, '/my/enter');
      assert.equal(again.status, 403);
      assert.match(again.body, /<title>Error: This link has ended/);
    });

    it('show a license with many computers, whose long answer comes from another thread as bytes', async () => {
      const email = 'many@example.com';
      const licenseKey = await app.license({ email, licenseType: 'site', maxMachines: -1 });
      for (let count = 0; count < 24; count++) {
        // The limit of activations is 15 an hour.
        if (count === 12) app.clock.move(2 * HOUR_MS);
        const hostname = `${count} ${'録音'.repeat(100)}`;
        const fields = { licenseKey, productId: 'app', machineFingerprint: `f${count}`, hostname };
        assert.equal((await app.send('/activate', fields)).status, 200);
      }
      const { body } = (await signInByLink(app, { email })).license;
      for (const count of [0, 23]) assert.ok(body.includes(`${count} 録音録音`), `computer ${count}`);
      assert.ok(Buffer.byteLength(body) > 16 * 1024);
    });

    it('free nothing by GET or HEAD, and repeat nothing by a second POST', async () => {
      const { browser, license, isOnOldLaptop } = await signedIn();
      const question = await browser.follow(license, '/my/release');
      for (const method of ['GET', 'HEAD']) assert.equal((await browser.request(method, question.path)).status, 200);
      assert.equal(await isOnOldLaptop(), true);
      const freed = await browser.submit(question, '/my/release');
      assert.match(freed.body, /role="status"><p>The computer is freed/);
      const twice = await browser.submit(question, '/my/release');
      assert.equal(twice.status, 200);
      assert.match(twice.body, /role="alert"><p>[^<]*no longer in the list/);
    });

    it('answer every write 303, to a page that says what happened', async () => {
      const { browser, license } = await signedIn();
      const answer = await browser.submitOnly(await browser.follow(license, '/my/release'), '/my/release');
      assert.equal(answer.status, 303);
      assert.equal(answer.body, '');
      assert.match(String(answer.headers.location), /^\/my\/license\?/);
    });

    it('say nothing that somebody else wrote into an address', async () => {
      const { browser, license } = await signedIn();
      const { path } = license;
      for (const said of ['said=freed', 'said=freed&by=a', 'said=keysSent'])
        assert.doesNotMatch((await browser.open(`${path}&${said}`)).body, /class="notice good"/);
    });

    it('show a key on the page and never in an address', async () => {
      const { browser, licenseKey, licenses, license } = await signedIn();
      const question = await browser.follow(license, '/my/release');
      for (const page of [licenses, license]) assert.ok(page.body.includes(licenseKey));
      for (const page of [licenses, license, question])
        for (const address of [page.path, ...linksOf(page)]) {
          assert.doesNotMatch(address, KEY);
          assert.ok(!address.includes('fingerprint') && !address.includes('example.com'), address);
        }
      assert.deepEqual(Object.keys(formOf(question, '/my/release').hidden).sort(), ['d', 'l', 't']);
    });

    it('count a form from their own page alone', async () => {
      const { browser, license, isOnOldLaptop } = await signedIn();
      const question = await browser.follow(license, '/my/release');
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const own = `https://127.0.0.1:${app.port}`;
      const foreign: readonly Readonly<Record<string, string>>[] = [
        type,
        { ...type, 'sec-fetch-site': 'cross-site', origin: own },
        { ...type, 'sec-fetch-site': 'same-site' },
        { ...type, 'sec-fetch-site': 'none' },
        { ...type, origin: 'null' },
        { ...type, origin: 'https://evil.example' },
        { ...type, origin: `${PUBLIC_URL}.evil.example` },
      ];
      for (const headers of foreign) {
        const answer = await browser.submitOnly(question, '/my/release', {}, headers);
        assert.equal(answer.status, 403, JSON.stringify(headers));
        assert.match(answer.body, /<title>Error: Please try again here/);
        assert.equal(answer.headers['set-cookie'], undefined);
      }
      for (const t of ['', 'a', formOf(question, '/my/sign-out').hidden.t!])
        assert.equal((await browser.submitOnly(question, '/my/release', { t })).status, 403);
      assert.equal(await isOnOldLaptop(), true);
      const older = await browser.submitOnly(question, '/my/release', {}, { ...type, origin: PUBLIC_URL });
      assert.equal(older.status, 303);
    });

    it('let no foreign page sign a browser in as somebody else', async () => {
      const browser = new CustomerBrowser(app);
      const entry = await browser.open(await linkFor(app, await makeMover(app)));
      const headers = { ...OWN_FORM, 'sec-fetch-site': 'cross-site' };
      assert.equal((await browser.submitOnly(entry, '/my/enter', {}, headers)).status, 403);
      assert.equal(browser.cookies.size, 0);
      assert.match((await browser.submit(entry, '/my/enter')).body, /Signed in as/);
    });

    it('run no script but the one that copies, load nothing from elsewhere, and may not be framed', async () => {
      const { license, browser } = await signedIn();
      for (const page of [license, await browser.open('/my'), await browser.request('POST', '/my', '', {})]) {
        const policy = String(page.headers['content-security-policy']);
        for (const part of [
          "default-src 'none'",
          `script-src ${COPY_SCRIPT_SOURCE};`,
          "style-src 'self'",
          "frame-ancestors 'none'",
        ])
          assert.ok(policy.includes(part), policy);
        assert.equal(page.headers['x-frame-options'], 'DENY');
        assert.equal(page.headers['referrer-policy'], 'same-origin');
        assert.equal(page.headers['cache-control'], 'no-store');
        assert.equal(page.headers['x-content-type-options'], 'nosniff');
        assert.match(String(page.headers['strict-transport-security']), /max-age/);
        assert.doesNotMatch(page.body.replace(COPY_SCRIPT.text, ''), /<script|<style| style=/);
      }
    });

    it('set cookies that no script and no other host can read', async () => {
      const mover = await makeMover(app);
      const browser = new CustomerBrowser(app);
      const entry = await browser.open(await linkFor(app, mover));
      const answer = await browser.submitOnly(entry, '/my/enter');
      const [cookie = ''] = answer.headers['set-cookie'] ?? [];
      assert.match(cookie, /^__Host-latchkey-my=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
      const signedOut = await browser.submit(await browser.open('/my/licenses'), '/my/sign-out');
      assert.match(signedOut.body, /You are signed out/);
      assert.equal(browser.cookies.size, 0);
      const returned = new CustomerBrowser(app);
      returned.cookies.set('__Host-latchkey-my', cookie.split(/[=;]/)[1]!);
      assert.match((await returned.open('/my/licenses')).body, /Your session has ended/);
    });

    it('name the public address in links, whatever Host a proxy or a stranger sends', async () => {
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
      const { email } = await makeMover(app);
      const { body } = await app.admin('/createCustomerLink', { email }, { headers });
      assert.ok(body.url.startsWith(`${PUBLIC_URL}/my/enter?c=`), body.url);
      const browser = new CustomerBrowser(app);
      const entry = await browser.open(body.url, headers);
      assert.doesNotMatch(entry.body, /evil/);
      const { location } = (await browser.submitOnly(entry, '/my/enter', {}, { ...OWN_FORM, ...headers })).headers;
      assert.equal(location, '/my/licenses');
    });

    it('show names of strangers as text: computers, products, addresses', async () => {
      const productId = 'grain-delay';
      const made = await app.admin('/createProduct', { slug: productId, name: HOSTILE, creatorId: 'ada' });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const { browser, licenseKey, licenses, ...first } = await signedIn({
        old: HOSTILE,
        new: '\u202eretupmoc',
        productId,
      });
      await historyWithRefusals(app, licenseKey, 1);
      const license = await browser.open(first.license.path);
      assert.match(license.body, /retupmoc<\/bdi>” was refused/);
      for (const { body } of [license, licenses]) {
        assert.doesNotMatch(body.replace(COPY_SCRIPT.text, ''), /<script/);
        assert.doesNotMatch(body.replace(/<bdi>.*?<\/bdi>/gs, ''), /\u202e/);
      }
      assert.match(license.body, /&#60;script&#62;/);
    });

    it('show the brand and the licenses of a shop alone, from its link to the end of the session', async () => {
      const shop = 'lumen-audio';
      const logo = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
      const brand = {
        creatorId: shop,
        name: 'Lumen & Söhne',
        supportAddress: 'help@lumen.example',
        accent: '#b3452c',
        logo,
      };
      assert.equal((await app.admin('/updateBrand', brand)).status, 200);
      await app.admin('/createProduct', { slug: 'lumen-delay', name: 'Delay', creatorId: shop });
      const { email } = await makeMover(app, { productId: 'lumen-delay' });
      await app.license({ email, productId: 'of-nobody' });

      const made = await app.admin('/createCustomerLink', { email, creatorId: shop });
      const browser = new CustomerBrowser(app);
      const entry = await browser.open(made.body.url);
      const licenses = await browser.submit(entry, '/my/enter');
      for (const page of [await browser.open(`/my?shop=${shop}`), entry, licenses]) {
        assert.match(page.body, /<bdi>Lumen &#38; Söhne<\/bdi>/);
        assert.match(page.body, /style\.css\?accent=b3452c/);
        assert.match(page.body, /mailto:help%40lumen\.example/);
        const [, picture = ''] = /<img src="([^"]*)" alt="">/.exec(page.body) ?? [];
        const { headers } = await browser.request('GET', picture);
        assert.equal(headers['content-type'], 'image/png');
      }
      const cards = linksOf(licenses).filter((each) => each.startsWith('/my/license?'));
      assert.equal(cards.length, 1);
      assert.doesNotMatch(licenses.body, /of-nobody/);
      assert.doesNotMatch((await browser.open('/my')).body, /Lumen/);
      app.clock.move(2 * HOUR_MS);
      const ended = await browser.open(cards[0]!);
      assert.equal(ended.path, `/my?shop=${shop}&said=ended`);
    });

    it('show no picture where a shop has none, and no fault where a shop is unknown', async () => {
      const browser = new CustomerBrowser(app);
      assert.equal((await browser.request('GET', '/my/logo')).status, 404);
      for (const shop of ['nobody', '%3Cscript%3E', 'x'.repeat(2000), '%00'])
        assert.equal((await browser.open(`/my?shop=${shop}`)).status, 200, shop);
    });

    it('answer alike to every address that asks for a code, and name it nowhere', async () => {
      const { email } = await makeMover(app);
      const answers = await Promise.all(
        [
          ...[email, 'nobody@example.com', 'n\u00f6body@example.com', `${'x'.repeat(200)}@example.com`],
          ...['<script>@example.com', 'ada,bo@example.com', '\u202eada@example.com'],
        ].map(async (typed) => {
          const answer = await new CustomerBrowser(app).request(
            'POST',
            '/my',
            `email=${encodeURIComponent(typed)}`,
            OWN_FORM,
          );
          const { date: _date, 'x-request-id': _id, 'set-cookie': [cookie = ''] = [], ...headers } = answer.headers;
          assert.match(
            cookie,
            /^__Host-latchkey-my-asked=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
          );
          return { status: answer.status, headers, body: answer.body };
        }),
      );
      assert.equal(answers[0]?.headers.location, '/my/code');
      for (const each of answers) assert.deepEqual(each, answers[0]);
    });

    it('refuse beside its field a text that is no address, and keep it there', async () => {
      const lines = 'ada@example.com\r\nBcc: bo@evil.example';
      for (const typed of ['', ' ', 'ada', 'a b@c', 'a@b@c', '@', 'ada@', lines, `${'x'.repeat(400)}@example.com`]) {
        const body = String(new URLSearchParams({ email: typed }));
        const answer = await new CustomerBrowser(app).request('POST', '/my', body, OWN_FORM);
        assert.equal(answer.status, 400, typed);
        assert.equal(answer.headers['set-cookie'], undefined, typed);
      }
    });

    it('accept a code only in the browser that asked, and say the same of every wrong one', async () => {
      const browser = new CustomerBrowser(app);
      assert.match((await browser.open('/my/code')).body, /This browser has not asked for a code/);
      await browser.request('POST', '/my', 'email=nobody%40example.com', OWN_FORM);
      const page = await browser.open('/my/code');
      for (const code of ['K7QW-2MNP', 'a', '<script>']) {
        const answer = await browser.submitOnly(page, '/my/code', { code });
        assert.equal(answer.status, 403);
        assert.match(answer.body, /<title>Error: Enter the code/);
        assert.match(answer.body, /id="code-error">This code is not accepted/);
      }
      assert.equal((await browser.submitOnly(page, '/my/code', { code: ' ' })).status, 400);
      const other = await new CustomerBrowser(app).submitOnly(page, '/my/code', { code: 'K7QW-2MNP' });
      assert.equal(other.status, 400);
      assert.match(other.body, /This browser has not asked for a code/);
    });

    const type = OWN_FORM['content-type']!;
    const damaged: readonly (readonly [string, number, string, Readonly<Record<string, string>>])[] = [
      ['of 17 KiB', 413, `email=${'a'.repeat(17 * 1024)}`, {}],
      ['with 21 fields', 400, Array.from({ length: 21 }, (_, index) => `f${index}=1`).join('&'), {}],
      ['with a field twice', 400, 'email=a%40b&email=c%40d', {}],
      ['with a broken escape', 400, 'email=%zz', {}],
      ['with bytes that are not UTF-8', 400, 'email=%ff%fe', {}],
      ['in an unknown charset', 415, 'email=a%40b', { 'content-type': `${type}; charset=klingon` }],
      ['in UTF-7', 415, 'email=a%40b', { 'content-type': `${type}; charset=utf-7` }],
      ['as JSON', 415, '{"email":"a@b"}', { 'content-type': 'application/json' }],
      ['as multipart', 415, '--x\r\n\r\n--x--', { 'content-type': 'multipart/form-data; boundary=x' }],
    ];
    for (const [name, status, body, headers] of damaged)
      it(`answer ${status} with a page to a form ${name}`, async () => {
        const answer = await new CustomerBrowser(app).request('POST', '/my', body, { ...OWN_FORM, ...headers });
        assert.equal(answer.status, status);
        assert.match(answer.body, /<title>Error: /);
        assert.equal(answer.headers['set-cookie'], undefined);
      });

    it('answer other methods and addresses with a page, too', async () => {
      const browser = new CustomerBrowser(app);
      for (const [method, path, status, allow] of [
        ['DELETE', '/my', 405, 'GET, HEAD, POST'],
        ['POST', '/my/licenses', 405, 'GET, HEAD'],
        ['GET', '/my/sign-out', 405, 'POST'],
        ['POST', '/my/style.css', 405, 'GET, HEAD'],
        ['GET', '/my/other', 404, undefined],
        ['GET', '/my/', 404, undefined],
        ['GET', `/my?${'a=1&'.repeat(60)}`, 400, undefined],
      ] as const) {
        const answer = await browser.request(method, path);
        assert.equal(answer.status, status, `${method} ${path}`);
        assert.equal(answer.headers.allow, allow, `${method} ${path}`);
        assert.match(String(answer.headers['content-type']), /^text\/html/);
      }
      for (const path of ['/my/licenses', '/my/license?l=a', '/my/release?l=a&d=b']) {
        const answer = await browser.request('GET', path);
        assert.equal(answer.headers.location, '/my', path);
      }
    });

    it('have styles that browsers keep, in the accent of the address', async () => {
      const browser = new CustomerBrowser(app);
      const { body } = await browser.open('/my');
      const [, address = ''] = /<link rel="stylesheet" href="([^"]*)"/.exec(body) ?? [];
      const styles = await browser.request('GET', address.replaceAll('&#38;', '&'));
      assert.equal(styles.headers['content-type'], 'text/css; charset=utf-8');
      assert.match(String(styles.headers['cache-control']), /immutable/);
      assert.match(styles.body, /--accent: #/);
    });

    it('speak the language of the address, then the one chosen before, then that of the browser', async () => {
      const browser = new CustomerBrowser(app);
      const german = { 'accept-language': 'de-AT, en;q=0.5' };
      assert.match((await browser.open('/my', german)).body, /<html lang="de">.*Ihre Lizenzen finden/s);
      assert.match((await browser.open('/my?lang=es', german)).body, /<html lang="es">/);
      assert.match((await browser.open('/my', german)).body, /<html lang="es">/);
      assert.match((await browser.open('/my?lang=tlh', german)).body, /<html lang="es">/);
    });
  });

describe('a service without self-service', () => {
  it('knows no address of the pages', async (test) => {
    const app = await startApp('sqlite');
    test.after(() => app.stop());
    for (const path of ['/my', '/my/style.css', '/my/enter?c=a'])
      for (const method of ['GET', 'POST']) {
        const { status, headers } = await app.send(path, undefined, { method });
        assert.equal(status, 404);
        assert.match(String(headers['content-type']), /^application\/json/);
      }
  });
});
