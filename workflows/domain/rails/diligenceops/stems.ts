import { stemmer } from 'stemmer'

export type Language = 'en' | 'de'

const stopWords: Record<Language, ReadonlySet<string>> = {
  en: new Set(
    (
      'a about also am an and any are as at be been being both but by could did do does doing either else for from her here his how i if ' +
      'in into is it its itself just might more most my no nor not of on or our out over own per please shall she should so some such ' +
      'than that the their them then there these they this those to under until up upon very via was we were what when where whether ' +
      'while who whom whose why will with would you your yours yes describe explain list state one only which one'
    ).split(' '),
  ),
  de: new Set(
    (
      'aber als am an auch auf aus bei beim bis da damit dann das dass dem den denn der des die dies diese dieser dieses doch ein eine ' +
      'einem einen einer eines er es für gegen hier ich ihr ihre ihrem ihren ihrer im in ins ist ja je jedem jeden jedes kann kein keine ' +
      'keinen keiner man mit nach nicht noch nur ob oder pro sehr sein seine seit sich sie sind so sowie über um und uns unser unsere ' +
      'unter vom von vor war waren was welche welchem welchen welcher welches wem wen wenn wer werden wie wir wird wo worden wurde ' +
      'wurden zu zum zur zwischen wann bitte'
    ).split(' '),
  ),
}

export const isStopWord = (word: string, language: Language): boolean =>
  stopWords[language].has(word)

const germanOnly =
  /[äöüß]|\b(?:der|die|das|und|ist|sind|wird|werden|wie|wer|wir|nicht|ein|eine|mit|gibt|von|für)\b/gi
const englishOnly =
  /\b(?:the|and|is|are|of|to|do|does|how|what|which|who|we|not|with|a|an|in|has|have)\b/gi

/** The language of a text by its commonest words, else the one given. */
export function languageOf(text: string, otherwise: Language = 'en'): Language {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  const [german, english] = [count(germanOnly), count(englishOnly)]
  if (german === english) return otherwise
  return german > english ? 'de' : 'en'
}

/** The stem of a word in lower case: Porter's for English; for German its umlauts and its endings are left out. */
export function stemOf(word: string, language: Language): string {
  return language === 'en' ? stemmer(word) : germanStem(word)
}

function germanStem(word: string): string {
  const folded = word.replace(/ß/g, 'ss').replace(/ä/g, 'a').replace(/ö/g, 'o').replace(/ü/g, 'u')
  for (const ending of ['ern', 'em', 'er', 'en', 'es', 'e', 'n', 's'])
    if (folded.endsWith(ending) && folded.length - ending.length >= 4)
      return folded.slice(0, -ending.length)
  return folded
}
