/** Gives unit tests the language of the journeys' browser in place of the machine's. Import it first. */

/** As in windows.ts. */
Object.defineProperty(navigator, 'languages', { value: ['en-GB'] });
