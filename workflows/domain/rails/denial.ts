const denied =
  /\b(?:not|no|never|none|neither|nor|cannot|prohibited|forbidden|nicht|kein(?:e|en|em|er|es)?|nie|niemals|weder|verboten|untersagt)\b|n[’']t\b/iu

/** The first words of a sentence that deny something; null where none do. */
export const denialIn = (sentence: string): string | null => denied.exec(sentence)?.[0] ?? null

/** Whether a sentence denies something. */
export const isDenied = (sentence: string): boolean => denialIn(sentence) !== null
