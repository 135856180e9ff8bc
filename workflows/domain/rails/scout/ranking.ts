import MiniSearch from 'minisearch'
import { inOrder } from '../work/work.ts'

/** A text of the ranking by its place in the list given; `score` is 0 to 1, `stems` are those of the query found in it. */
type Ranked = { at: number; score: number; stems: string[] }
export type Ranking = {
  /** The texts that share a stem with the query; in which order equal scores stand is for the caller to say. */
  rank(query: readonly string[]): Ranked[]
  /** How many places of the index the query has to look at. */
  reach(query: readonly string[]): number
}

// BM25+ as MiniSearch has it by default: k1, b and the least that a word found counts.
const [K, B, DELTA] = [1.2, 0.7, 0.5]

/**
 * Ranks texts, given as lists of stems, by BM25. A score is the text's BM25 over that of a text of average length that has each
 * stem of the query once, at most 1, to 4 digits: so it compares between queries, and a word that no text has lowers it most.
 */
export function rankingOf(texts: readonly (readonly string[])[]): Ranking {
  const index = new MiniSearch<{ id: number; stems: string }>({
    fields: ['stems'],
    tokenize: (stems) => stems.split(' '),
    processTerm: (stem) => stem,
    searchOptions: { bm25: { k: K, b: B, d: DELTA } },
  })
  const joined = texts.map((stems, id) => ({ id, stems: stems.join(' ') }))
  // The index keeps a running mean, whose last bits depend on the order in which it was fed.
  index.addAll(joined.toSorted(inOrder(({ stems }) => stems)))
  const having = new Map<string, number>()
  for (const stems of texts)
    for (const stem of new Set(stems)) having.set(stem, (having.get(stem) ?? 0) + 1)
  const rarity = (stem: string) => {
    const count = having.get(stem) ?? 0
    return Math.log(1 + (texts.length - count + 0.5) / (count + 0.5))
  }
  return {
    reach: (query) => query.reduce((sum, stem) => sum + (having.get(stem) ?? 0), 0),
    rank(query) {
      const stems = [...new Set(query)].toSorted()
      const ideal = stems.reduce((sum, stem) => sum + rarity(stem) * (DELTA + 1), 0)
      return index.search(stems.join(' ')).map(({ id, score, queryTerms }) => {
        // MiniSearch multiplies by the number of words found.
        const share = score / queryTerms.length / ideal
        return {
          at: Number(id),
          score: Math.min(1, Math.round(share * 10_000) / 10_000),
          stems: queryTerms,
        }
      })
    },
  }
}
