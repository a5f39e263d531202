/** Loaded before a service (node --import): the clock of its machine is ahead by AHEAD_MS. */
const ahead = Number(process.env['AHEAD_MS']);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length ? given : [RealDate.now() + ahead]) as [number]));
  }
  static override now(): number {
    return RealDate.now() + ahead;
  }
} as DateConstructor;
