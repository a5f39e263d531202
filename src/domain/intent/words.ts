/** The lexicon and the tokens, for the readers. */
export * from './words/phrases.ts';
export * from './words/time-words.ts';
export * from './words/tokens.ts';
