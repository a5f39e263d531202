/** Wall times of another zone, on the clock of the person. */

/** `zone` is the person's, IANA. */
export type ZonedBase = { zone: string };

/** The minute of the person's day at which a clock of another zone shows a minute of a day. */
export const wallMinute = (
  zone: string | undefined,
  minute: number,
  day: Temporal.PlainDate,
  { zone: own }: ZonedBase,
): { at: number; dayShift?: number } => {
  const start = day.toPlainDateTime().add({ minutes: minute });
  const there =
    zone && zone !== own && zone !== 'there' ? start.toZonedDateTime(zone).withTimeZone(own).toPlainDateTime() : start;
  const dayShift = day.until(there.toPlainDate()).days;
  return { at: there.hour * 60 + there.minute, ...(dayShift !== 0 && { dayShift }) };
};
