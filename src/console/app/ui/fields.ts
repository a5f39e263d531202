/** Reads the texts of a form that was submitted, which is then not sent by the browser. */
export const fieldsOf = (event: SubmitEvent): ((name: string) => string) => {
  event.preventDefault();
  const form = new FormData(event.currentTarget as HTMLFormElement);
  return (name) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : '';
  };
};
