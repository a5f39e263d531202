/** Reads the fields of a form. */

/** The text of a field by its name, and the values of the boxes of a name that are ticked. */
export type Fields = { text: (name: string) => string; ticked: (name: string) => string[] };

export const fieldsOf = (form: HTMLFormElement): Fields => {
  const given = new FormData(form);
  const texts = (name: string): string[] => given.getAll(name).filter((value) => typeof value === 'string');
  return { text: (name) => texts(name)[0] ?? '', ticked: texts };
};
