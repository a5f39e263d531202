/** Time zones by their names and by those of their cities. */
export const ZONES = Intl.supportedValuesOf('timeZone');

const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1);
const plain = (text: string): string => text.trim().toLowerCase().replaceAll('_', ' ');

/** What is wrong with it, or nothing. Some names that are not listed are zones nevertheless, such as `UTC`. */
export const zoneFault = (text: string): string => {
  if (!text.trim() || zonesFor(text).length) return '';
  try {
    Intl.DateTimeFormat('en', { timeZone: text.trim() });
    return '';
  } catch {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    return `Almanac does not know a time zone or city “${text.trim()}”. Choose one of the list, such as ${timeZone}.`;
  }
};

/** The zones that a person may mean: that of this name, or those whose city has it, such as `new york`. */
export const zonesFor = (text: string): string[] => {
  const asked = plain(text);
  const exact = ZONES.find((zone) => plain(zone) === asked);
  return exact === undefined ? ZONES.filter((zone) => plain(cityOf(zone)) === asked) : [exact];
};
