/** Templates for the few HTML pages: they escape every value except HTML that another template made. */

/** Text that is already HTML. */
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
