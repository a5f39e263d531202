/** The links and numbers that a text names. What a model writes may name only those of its material. */

const LINK = /(?<![\w+.-])[a-z][a-z0-9+.-]*:\/\/\S+/giu;
const NUMBER = /\p{N}+/gu;

export const linksIn = (text: string): string[] => text.match(LINK) ?? [];
export const numbersIn = (text: string): string[] => text.match(NUMBER) ?? [];
