/** The document with what stands between `<!-- begin: name -->` and `<!-- end: name -->` replaced; throws when a marker is missing. */
export function betweenMarkers(document: string, name: string, text: string): string {
  const begin = `<!-- begin: ${name} -->`
  const end = `<!-- end: ${name} -->`
  const [before, rest] = split(document, begin)
  const [, after] = split(rest, end)
  return `${before}${begin}\n\n${text}\n\n${end}${after}`
}

function split(text: string, marker: string): [string, string] {
  const at = text.indexOf(marker)
  if (at < 0) throw new Error(`the document lacks ${marker}`)
  return [text.slice(0, at), text.slice(at + marker.length)]
}
