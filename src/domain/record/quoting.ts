/** A sentence of the service with text of the user in it. Only that text is blanked for a reader who may not see all of it. */
export class Quoting {
  readonly sentence: readonly string[];
  readonly texts: readonly string[];

  constructor(sentence: readonly string[], texts: readonly string[]) {
    this.sentence = sentence;
    this.texts = texts;
  }

  /** The text for a reader. */
  shown(show: (text: string) => string): string {
    return this.sentence.map((part, i) => part + (i < this.texts.length ? show(this.texts[i] as string) : '')).join('');
  }

  toString(): string {
    return this.shown((text) => text);
  }

  toJSON(): string {
    return this.toString();
  }
}

/** Makes a sentence of its parts, with a text between each two: quoting(['The time is taken by ', '.'], titles). */
export const quoting = (sentence: readonly string[], ...texts: string[]): Quoting => new Quoting(sentence, texts);
