/** Fictional customers: their countries, names and computers. */
import type { Random } from './random.ts';

/** A country with its customers. */
export interface Country {
  readonly code: string;
  /** Hours ahead of UTC. */
  readonly utcOffset: number;
  /** Relative weight: roughly the percentage of customers who live there. */
  readonly weight: number;
  readonly currency: string;
  readonly firstNames: readonly string[];
  readonly lastNames: readonly string[];
}

const ENGLISH = [
  ['Olivia', 'Noah', 'Amelia', 'Jack', 'Grace', 'Henry', 'Ruby', 'Oscar', 'Maya', 'Leo', 'Hannah', 'Ethan'],
  ['Bennett', 'Clarke', 'Foster', 'Hughes', 'Marsh', 'Palmer', 'Reid', 'Sutton', 'Walsh', 'Young', 'Brooks', 'Dale'],
] as const;
const GERMAN = [
  ['Anna', 'Jonas', 'Mia', 'Lukas', 'Clara', 'Felix', 'Lena', 'Moritz', 'Paula', 'Emil', 'Greta', 'Jakob'],
  ['Bergmann', 'Fischer', 'Hartwig', 'Keller', 'Lindner', 'Neumann', 'Richter', 'Seidel', 'Vogt', 'Winkler'],
] as const;
const FRENCH = [
  ['Camille', 'Louis', 'Manon', 'Hugo', 'Chloe', 'Jules', 'Lea', 'Arthur', 'Ines', 'Gabriel'],
  ['Bernard', 'Chevalier', 'Dubois', 'Fontaine', 'Girard', 'Lambert', 'Moreau', 'Renaud', 'Vasseur'],
] as const;
const SPANISH = [
  ['Lucia', 'Mateo', 'Sofia', 'Diego', 'Elena', 'Javier', 'Carmen', 'Andres', 'Paula', 'Tomas'],
  ['Alonso', 'Castillo', 'Dominguez', 'Fuentes', 'Herrera', 'Molina', 'Navarro', 'Rojas', 'Vega'],
] as const;
const ITALIAN = [
  ['Giulia', 'Marco', 'Chiara', 'Luca', 'Elisa', 'Matteo', 'Sara', 'Davide'],
  ['Bianchi', 'Conti', 'Esposito', 'Ferri', 'Greco', 'Moretti', 'Ricci', 'Villa'],
] as const;
const NORDIC = [
  ['Astrid', 'Emil', 'Freja', 'Oskar', 'Ingrid', 'Nils', 'Saga', 'Elias', 'Signe', 'Anton'],
  ['Berg', 'Dahl', 'Ekman', 'Hansen', 'Lind', 'Nygaard', 'Olsen', 'Strand', 'Virtanen', 'Wahl'],
] as const;
const DUTCH = [
  ['Sanne', 'Daan', 'Lotte', 'Bram', 'Femke', 'Sven', 'Noor', 'Thijs'],
  ['Bakker', 'de Boer', 'Jansen', 'Mulder', 'Peters', 'Smit', 'van Dijk', 'Visser'],
] as const;
const JAPANESE = [
  ['Yui', 'Haruto', 'Sakura', 'Ren', 'Aoi', 'Sota', 'Hina', 'Kaito'],
  ['Fujita', 'Ishikawa', 'Kimura', 'Mori', 'Nakamura', 'Sato', 'Tanaka', 'Yamada'],
] as const;
const PORTUGUESE = [
  ['Beatriz', 'Miguel', 'Ana', 'Tiago', 'Larissa', 'Rafael', 'Ines', 'Bruno'],
  ['Almeida', 'Barbosa', 'Carvalho', 'Duarte', 'Lima', 'Nunes', 'Rocha', 'Teixeira'],
] as const;
const SLAVIC = [
  ['Zofia', 'Jan', 'Ola', 'Piotr', 'Tereza', 'Tomas', 'Hanna', 'Marek'],
  ['Dvorak', 'Kowalska', 'Novak', 'Pawlak', 'Svoboda', 'Wozniak', 'Zielinski', 'Horak'],
] as const;
const INDIAN = [
  ['Aarav', 'Priya', 'Rohan', 'Ananya', 'Vikram', 'Kavya', 'Arjun', 'Meera'],
  ['Iyer', 'Kapoor', 'Menon', 'Nair', 'Patel', 'Rao', 'Shah', 'Verma'],
] as const;
const KOREAN = [
  ['Jiwoo', 'Minjun', 'Seoyeon', 'Hyun', 'Yuna', 'Dohyun'],
  ['Choi', 'Han', 'Jung', 'Kang', 'Lim', 'Park', 'Shin'],
] as const;

const country = (
  code: string,
  utcOffset: number,
  weight: number,
  currency: string,
  [firstNames, lastNames]: readonly [readonly string[], readonly string[]],
): Country => ({ code, utcOffset, weight, currency, firstNames, lastNames });

/** The countries of the customers. */
export const COUNTRIES: readonly Country[] = [
  country('US', -6, 21, 'usd', ENGLISH),
  country('DE', 1, 14, 'eur', GERMAN),
  country('GB', 0, 9, 'gbp', ENGLISH),
  country('FR', 1, 8, 'eur', FRENCH),
  country('JP', 9, 7, 'jpy', JAPANESE),
  country('NL', 1, 5, 'eur', DUTCH),
  country('CA', -5, 5, 'cad', ENGLISH),
  country('SE', 1, 4, 'sek', NORDIC),
  country('ES', 1, 4, 'eur', SPANISH),
  country('BR', -3, 4, 'brl', PORTUGUESE),
  country('AU', 10, 4, 'aud', ENGLISH),
  country('IT', 1, 3, 'eur', ITALIAN),
  country('PL', 1, 3, 'pln', SLAVIC),
  country('IN', 5.5, 3, 'inr', INDIAN),
  country('CH', 1, 2, 'chf', GERMAN),
  country('AT', 1, 2, 'eur', GERMAN),
  country('KR', 9, 2, 'krw', KOREAN),
  country('NO', 1, 2, 'nok', NORDIC),
  country('DK', 1, 2, 'dkk', NORDIC),
  country('FI', 2, 1.5, 'eur', NORDIC),
  country('PT', 0, 1.5, 'eur', PORTUGUESE),
  country('MX', -6, 2, 'mxn', SPANISH),
  country('AR', -3, 1, 'ars', SPANISH),
  country('CZ', 1, 1, 'czk', SLAVIC),
  country('NZ', 12, 1, 'nzd', ENGLISH),
  country('ZA', 2, 1, 'zar', ENGLISH),
  country('SG', 8, 1, 'sgd', ENGLISH),
  country('IE', 0, 1, 'eur', ENGLISH),
  country('BE', 1, 1, 'eur', FRENCH),
  country('MT', 1, 0.4, 'eur', ENGLISH),
];

/** A customer. */
export interface Person {
  readonly firstName: string;
  readonly email: string;
  readonly country: Country;
}

/** A computer as its app identifies it. */
export interface Machine {
  readonly fingerprint: string;
  readonly hostname: string;
  /** The address of the person who uses it; absent on a license without named users. */
  readonly user?: string;
}

/** Reserved domains for examples; mail to them reaches nobody. */
const DOMAINS = ['example.com', 'example.org', 'example.net', 'mail.example', 'post.example'];

/** Invents a person; `number` distinguishes people with the same name. */
export function makePerson(random: Random, number: number): Person {
  const home = random.weighted(COUNTRIES, ({ weight }) => weight);
  const firstName = random.pick(home.firstNames);
  const lastName = random.pick(home.lastNames);
  const name = `${firstName}.${lastName}`.toLowerCase().replaceAll(' ', '');
  const suffix = random.isTrue(0.5) ? '' : String(random.whole(70, 99));
  return { firstName, email: `${name}${suffix}.${number}@${random.pick(DOMAINS)}`, country: home };
}

const HEXADECIMAL = '0123456789abcdef';
const LETTERS_AND_DIGITS = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789';

/** Invents a computer of a person. */
export function makeMachine(random: Random, { firstName }: Person): Machine {
  const makers: readonly (() => string)[] = [
    () => `${firstName}s-MacBook-Pro.local`,
    () => `${firstName}s-MacBook-Air.local`,
    () => `${firstName}'s iMac`,
    () => `DESKTOP-${random.text(7, LETTERS_AND_DIGITS)}`,
    () => `LAPTOP-${random.text(8, LETTERS_AND_DIGITS)}`,
    () => `${firstName.toLowerCase()}-thinkpad`,
    () => `${firstName.toLowerCase()}-pc`,
    () => `${firstName.toLowerCase()}-studio`,
    () => 'mac-mini.local',
    () => 'fedora',
  ];
  return { fingerprint: makeFingerprint(random), hostname: random.pick(makers)() };
}

/** Creates a fingerprint of a computer. */
export function makeFingerprint(random: Random): string {
  return random.text(32, HEXADECIMAL);
}
