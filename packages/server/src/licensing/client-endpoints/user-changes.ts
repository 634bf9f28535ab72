/**
 * The users of a license with named users in a batch of calls: loaded for the calls that may bind a machine, changed in
 * memory, and written with the machines (licenses/user-writes.ts).
 */
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { UsedLicense } from '../licenses/license.ts';
import type { Activation } from '../machines/activation.ts';
import { foldUser, type LicenseUser, type UserOfLicense } from '../machines/user.ts';
import { loadUserAttempts, saveUserAttempts, type UserAttempts } from '../machines/user-attempts.ts';
import { countUsers, listUserStates, type UserState } from '../machines/user-store.ts';

/** The differences between users and their copy. */
interface CopyOfUsers {
  readonly freedSeats?: number;
  readonly attempts?: UserAttempts;
}

/** The users that the calls of a batch name, and those of their machines. */
export class UserChanges {
  readonly #attempts: UserAttempts;
  readonly #states: Map<string, Pick<UserState, 'isSeated' | 'machines'>>;
  /** The seats that users got, by the folded name. */
  readonly #given = new Map<string, LicenseUser>();
  #seats: number;

  /**
   * @param seats number of seats that users hold; 0 if nobody is to get one
   * @param states by the folded name
   */
  constructor(seats: number, states: readonly UserState[], attempts: UserAttempts) {
    this.#seats = seats;
    this.#states = new Map(states.map((state) => [state.userFolded, state]));
    this.#attempts = attempts;
  }

  /**
   * The same users at this moment, changed by themselves.
   *
   * @param other `freedSeats`: that many seats fewer are held; `attempts`: in place of the counted ones
   */
  copy({ freedSeats = 0, attempts = this.#attempts.copy() }: CopyOfUsers = {}): UserChanges {
    const states = [...this.#states].map(([userFolded, state]) => ({ licenseKey: '', userFolded, ...state }));
    return new UserChanges(this.#seats - freedSeats, states, attempts);
  }

  /**
   * Counts an attempt of a user; see {@link UserAttempts.count}. The attempt of a user who gets no seat is not counted,
   * because its refusal is to write nothing: a name costs nothing.
   *
   * @param leaving the user of the machine before
   */
  attempt(userFolded: string, leaving: string | null, terms: UsedLicense['terms'], now: number): number | null {
    const { maxUsers, usersFloat } = terms;
    if (maxUsers === null || !this.hasSeatFor(userFolded, maxUsers, { leaving, float: usersFloat })) return null;
    return this.#attempts.count(userFolded, maxUsers, now);
  }

  /**
   * Whether the user holds a seat or one is free.
   *
   * @param leaving the user who gives up a machine to this one; with `float` the seat goes with the last machine
   */
  hasSeatFor(
    userFolded: string,
    maxUsers: number,
    { leaving = null, float = null }: { readonly leaving?: string | null; readonly float?: boolean | null } = {},
  ): boolean {
    if (this.#stateOf(userFolded).isSeated) return true;
    const isFreed = float === true && leaving !== null && this.#isLastMachine(leaving);
    return this.#seats - (isFreed ? 1 : 0) < maxUsers;
  }

  /** Number of machines of a user. */
  machinesOf(userFolded: string): number {
    return this.#stateOf(userFolded).machines;
  }

  /** A user gets a machine, and with it this seat, if the user holds none. */
  gain(seat: LicenseUser): void {
    const { userFolded } = seat;
    const { isSeated, machines } = this.#stateOf(userFolded);
    if (!isSeated) {
      this.#seats += 1;
      this.#given.set(userFolded, seat);
    }
    this.#states.set(userFolded, { isSeated: true, machines: machines + 1 });
  }

  /** A user loses a machine; with `float` the seat goes with the last one. */
  lose(userFolded: string, float: boolean | null): void {
    const { isSeated, machines } = this.#stateOf(userFolded);
    // Users whom no call named are not known; their seats count as taken until the next batch.
    if (machines === 0) return;
    const isFreed = float === true && isSeated && machines === 1;
    if (isFreed) {
      this.#seats -= 1;
      this.#given.delete(userFolded);
    }
    this.#states.set(userFolded, { isSeated: isSeated && !isFreed, machines: machines - 1 });
  }

  /** The seats that users got, to be written: another call of the batch may have taken the machine. */
  get given(): readonly LicenseUser[] {
    return [...this.#given.values()];
  }

  /** The attempts that were counted, to be written. */
  get counted(): UserAttempts['changed'] {
    return this.#attempts.changed;
  }

  #isLastMachine(userFolded: string): boolean {
    const { isSeated, machines } = this.#stateOf(userFolded);
    return isSeated && machines === 1;
  }

  #stateOf(userFolded: string): Pick<UserState, 'isSeated' | 'machines'> {
    return this.#states.get(userFolded) ?? { isSeated: false, machines: 0 };
  }
}

/** The license of a batch, as far as its users need it. */
interface LicenseWithUsers {
  readonly license: UsedLicense;
  users: UserChanges | null;
  machine(fingerprint: string): Activation | undefined;
}

/** A call of a batch. */
interface Call {
  readonly licenseKey: string;
  readonly fingerprint: string;
  /** Whether it may bind its machine. */
  readonly bindsMachine: boolean;
  /** As the app named the user. */
  readonly user: string | undefined;
}

/** Loads the users of the calls that may bind a machine. Runs no statement without a license with named users. */
export async function loadUsers(
  sql: Sql,
  calls: readonly Call[],
  licenses: ReadonlyMap<string, LicenseWithUsers>,
): Promise<void> {
  const named = new Map<string, UserOfLicense>();
  const asked = new Set<LicenseWithUsers>();
  for (const { licenseKey, fingerprint, bindsMachine, user } of calls) {
    const changes = licenses.get(licenseKey);
    if (!bindsMachine || changes === undefined || changes.license.terms.maxUsers === null) continue;
    asked.add(changes);
    const own = changes.machine(fingerprint)?.userFolded ?? null;
    for (const userFolded of [user === undefined ? null : foldUser(user), own])
      if (userFolded !== null) named.set(JSON.stringify([licenseKey, userFolded]), { licenseKey, userFolded });
  }
  if (named.size === 0) return;
  // A seat that one call frees is not free for the next where more are held than the license has by now.
  const freesSeats = ({ license }: LicenseWithUsers) =>
    license.terms.usersFloat === true && calls.filter(({ licenseKey }) => licenseKey === license.licenseKey).length > 1;
  const counted = [...asked].filter(freesSeats).map(({ license }) => license.licenseKey);
  const usersOf = await usersByLicense(sql, [...named.values()], counted);
  for (const changes of asked) changes.users = usersOf(changes.license.licenseKey);
}

/**
 * The named users, each given once, as they are stored at this moment.
 *
 * @param counted keys of licenses whose seats are counted even if all of their named users hold one
 */
export async function usersByLicense(
  sql: Sql,
  named: readonly UserOfLicense[],
  counted: readonly string[] = [],
): Promise<(licenseKey: string) => UserChanges> {
  const [states, attemptsOf] = await Promise.all([listUserStates(sql, named), loadUserAttempts(sql, named)]);
  const newcomers = states.filter(({ isSeated }) => !isSeated).map(({ licenseKey }) => licenseKey);
  const keys = new Set([...counted, ...newcomers]);
  const seats = keys.size === 0 ? new Map<string, number>() : await countUsers(sql, [...keys]);
  return (licenseKey) =>
    new UserChanges(
      seats.get(licenseKey) ?? 0,
      states.filter((state) => state.licenseKey === licenseKey),
      attemptsOf(licenseKey),
    );
}

/** Writes the attempts of users. Runs no statement if none was counted. */
export async function saveUsers(tx: Tx, licenses: Iterable<Pick<LicenseWithUsers, 'users'>>): Promise<void> {
  await saveUserAttempts(
    tx,
    [...licenses].flatMap(({ users }) => users?.counted ?? []),
  );
}
