/**
 * Gives unit tests the locale of the journeys' browser in place of the machine's. Import it first: modules make their
 * formats as they load.
 */

/** As in windows.ts. */
const LOCALE = 'en-GB';

for (const name of ['DateTimeFormat', 'DisplayNames', 'ListFormat', 'NumberFormat', 'RelativeTimeFormat'] as const) {
  const Format = Intl[name] as new (locale: string, options: unknown) => object;
  const withLocale = new Proxy(Format, {
    construct: (_target, [locale, options]: [string | undefined, unknown]) => new Format(locale ?? LOCALE, options),
  });
  Object.defineProperty(Intl, name, { value: withLocale });
}

const inLocaleOfMachine = Number.prototype.toLocaleString;
Number.prototype.toLocaleString = function (this: number, locale = LOCALE, options) {
  return inLocaleOfMachine.call(this, locale, options);
};
