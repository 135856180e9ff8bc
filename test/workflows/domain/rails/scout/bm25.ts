/** BM25 by its definition (k1 1.2, b 0.7, δ 0.5) over a text of average length that has each word once; scores by text. */
export function bm25Over(
  texts: readonly (readonly string[])[],
): (query: readonly string[]) => number[] {
  const lengths = texts.map((words) => new Set(words).size)
  const mean = lengths.reduce((sum, length) => sum + length, 0) / texts.length
  const rarities = new Map<string, number>()
  const rarity = (word: string) => {
    const known = rarities.get(word)
    if (known !== undefined) return known
    const having = texts.filter((words) => words.includes(word)).length
    const found = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5))
    rarities.set(word, found)
    return found
  }
  return (query) => {
    const ideal = query.reduce((sum, word) => sum + rarity(word) * 1.5, 0)
    return texts.map((words, at) => {
      const sum = query.reduce((all, word) => {
        const f = words.filter((one) => one === word).length
        const length = 0.3 + (0.7 * lengths[at]!) / mean
        return all + (f === 0 ? 0 : rarity(word) * (0.5 + (f * 2.2) / (f + 1.2 * length)))
      }, 0)
      return Math.min(1, sum / ideal)
    })
  }
}
