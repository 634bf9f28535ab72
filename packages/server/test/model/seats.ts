/** These limits on a license; without `maxUsers` it has no named users. */
export interface UserTerms {
  maxUsers: number | null;
  maxMachinesPerUser: number | null;
  usersFloat: boolean | null;
}

/** The seat of a user. Times are milliseconds. */
export interface Seat {
  /** The first form of the name. */
  readonly name: string;
  readonly since: number;
  /** The last sign of life of a machine of the user, also of one that is gone. */
  seen: number;
}

/** The users of a license, by their folded names. */
export interface Users {
  seats: Record<string, Seat>;
  attempts: Record<string, number[]>;
  /** The attempts of all users that were not too many for one of them. */
  commonAttempts: number[];
}
