/** HTML for the few pages there are: everything put into a template is escaped, unless it came out of one. */

/** Text that is HTML already. */
export type Html = { html: string };

export const raw = (html: string): Html => ({ html });

export const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const render = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(render).join('');
  if (value && typeof value === 'object' && 'html' in value) return (value as Html).html;
  return value === undefined || value === null || value === false ? '' : escape(`${value as string | number}`);
};

export const html = (strings: TemplateStringsArray, ...values: unknown[]): Html =>
  raw(String.raw({ raw: strings }, ...values.map(render)));
