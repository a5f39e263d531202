/** Reads the fields of a form: what they have now, and whether it differs from what they were drawn with. */

export type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export const fieldsIn = (form: HTMLFormElement): Field[] =>
  [...form.elements].filter((one): one is Field => one.matches(':is(input, textarea, select)[name]'));

export const isBox = (field: Field): field is HTMLInputElement => field.type === 'checkbox' || field.type === 'radio';

/** A text field has each line break as one character. */
const givenTo = (field: Field): string =>
  field instanceof HTMLSelectElement
    ? (([...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0])?.value ?? '')
    : field.defaultValue.replaceAll(/\r\n?/g, '\n');

export const isChanged = (field: Field): boolean =>
  isBox(field) ? field.checked !== field.defaultChecked : field.value !== givenTo(field);

/** Says that a field has another value, as if a person had given it, so that what depends on it follows. */
export const announce = (field: Field): void => {
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
};

export type Fields = {
  text: (name: string) => string;
  /** The values of the boxes of a name that are ticked. */
  ticked: (name: string) => string[];
  isChanged: (name: string) => boolean;
};

export const fieldsOf = (form: HTMLFormElement): Fields => {
  const given = new FormData(form);
  const texts = (name: string): string[] => given.getAll(name).filter((value) => typeof value === 'string');
  const changed = new Set(fieldsIn(form).flatMap((field) => (isChanged(field) ? field.name : [])));
  return { text: (name) => texts(name)[0] ?? '', ticked: texts, isChanged: (name) => changed.has(name) };
};
