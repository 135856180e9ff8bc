/** The cells of the rows of all tables in a text, without the heads. */
export function rowsOf(text: string): string[][] {
  const rows = text.matchAll(/^\| (.+) \|$(?!\n\|-)/gm)
  return [...rows].map(([, row = '']) => row.split(/ \| ?/))
}
