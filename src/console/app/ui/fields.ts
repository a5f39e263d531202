/** Reads the fields of a form: what they have now, and whether it differs from what they were drawn with. */

export type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export const fieldsIn = (form: HTMLFormElement): Field[] =>
  [...form.elements].filter((one): one is Field => one.matches(':is(input, textarea, select)[name]'));

export const isBox = (field: Field): field is HTMLInputElement => field.type === 'checkbox' || field.type === 'radio';

/** The text of a field, or whether a box is ticked. */
type Value = string | boolean;
const valueOf = (field: Field): Value => (isBox(field) ? field.checked : field.value);

/** A text field has each line break as one character. */
const givenTo = (field: Field): Value => {
  if (isBox(field)) return field.defaultChecked;
  return field instanceof HTMLSelectElement
    ? (([...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0])?.value ?? '')
    : field.defaultValue.replaceAll(/\r\n?/g, '\n');
};

export const isChanged = (field: Field): boolean => valueOf(field) !== givenTo(field);

/** Says that a field has another value, as if a person had given it, so that what depends on it follows. */
export const announce = (field: Field): void => {
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
};

/**
 * Lets the fields of a form follow what they are given, also while the person types: a field that has what it was given or what was sent
 * takes its next value, and what was typed into another one stays.
 */
export const following = () => {
  /** By field: what it was given, and what was sent of it. */
  const settled = new WeakMap<Field, Value[]>();
  return {
    sent: (form: HTMLFormElement): void => {
      for (const field of fieldsIn(form)) settled.get(field)?.push(valueOf(field));
    },
    refused: (form: HTMLFormElement): void => {
      for (const field of fieldsIn(form)) settled.get(field)?.splice(1);
    },
    follow: (form: HTMLFormElement): void => {
      for (const field of fieldsIn(form)) {
        const given = givenTo(field);
        const before = settled.get(field);
        if (before?.[0] === given) continue;
        settled.set(field, [given]);
        if (!before?.includes(valueOf(field))) continue;
        if (isBox(field)) field.checked = given === true;
        else field.value = String(given);
        announce(field);
      }
    },
  };
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
