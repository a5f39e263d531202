/** For `addInitScript`: a page gets the clock of the process. */
export declare const SHIFT_OF_PAGES: string;
