/** Shifts the clock of a program or of a page. It has no effect when it is imported. */

/** By how many milliseconds the clock of this process is ahead (test/support/today.ts). */
export const SHIFT_MS = Number(process.env.SHIFT_MS ?? 0);

/** It also runs in pages of a browser, as text, and so it refers to nothing outside of itself. */
export const shiftClock = (shift) => {
  const RealDate = globalThis.Date;
  const now = () => RealDate.now() + shift;
  // It shares the prototype of the real one, so `instanceof` and structured clones work.
  function Date(...given) {
    if (!new.target) return new RealDate(now()).toString();
    return Reflect.construct(RealDate, given.length ? given : [now()], new.target === Date ? RealDate : new.target);
  }
  const redefine = (target, values) => {
    for (const [name, value] of Object.entries(values))
      Object.defineProperty(target, name, { value, writable: true, configurable: true });
  };
  Object.defineProperties(Date, Object.getOwnPropertyDescriptors(RealDate));
  redefine(Date, { now });
  redefine(RealDate.prototype, { constructor: Date });
  redefine(globalThis, { Date });
  const timeOrigin = performance.timeOrigin + shift;
  Object.defineProperty(performance, 'timeOrigin', { get: () => timeOrigin, configurable: true });
  if (typeof Temporal === 'undefined') return;
  const { Now } = Temporal;
  const [realInstant, zoneNow] = [Now.instant.bind(Now), Now.timeZoneId.bind(Now)];
  const instant = () => realInstant().add({ milliseconds: shift });
  const zonedDateTimeISO = (zone = zoneNow()) => instant().toZonedDateTimeISO(zone);
  redefine(Now, {
    instant,
    zonedDateTimeISO,
    plainDateTimeISO: (zone) => zonedDateTimeISO(zone).toPlainDateTime(),
    plainDateISO: (zone) => zonedDateTimeISO(zone).toPlainDate(),
    plainTimeISO: (zone) => zonedDateTimeISO(zone).toPlainTime(),
  });
};

/** For `addInitScript`: a page gets the clock of this process. */
export const SHIFT_OF_PAGES = `(${shiftClock.toString()})(${SHIFT_MS})`;
