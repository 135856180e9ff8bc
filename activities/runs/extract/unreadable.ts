/** A file that is refused: what is wrong with it, to follow “the file ”. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

export const OTHER_TYPE = 'is not of the type that it was uploaded as'

/** What a document and its parts may have at most; more of it is refused before it takes memory or time. */
export const extractLimits = {
  /** Bytes of a PDF, DOCX or XLSX file, or of a text that is read as a document. */
  bytesMax: 32 * 1024 * 1024,
  /** Files in a zip, and the bytes that all of them declare to inflate to. */
  entriesMax: 5_000,
  inflatedBytesMax: 192 * 1024 * 1024,
  /** A file in a zip that inflates to more than a megabyte may not grow by more than this. */
  ratioMax: 200,
  /** What one stream of a PDF may inflate to, through all of its filters. */
  streamBytesMax: 64 * 1024 * 1024,
  xmlDepthMax: 256,
  /** Elements of a part, and attributes of an element: each is an object for its reader. */
  xmlElementsMax: 8_000_000,
  xmlAttributesMax: 1_000,
  pagesMax: 2_000,
  paragraphsMax: 50_000,
  sheetsMax: 256,
  sheetRowsMax: 100_000,
  sheetColumnsMax: 1_000,
  cellsMax: 2_000_000,
  sheetCharsMax: 5_000_000,
} as const
