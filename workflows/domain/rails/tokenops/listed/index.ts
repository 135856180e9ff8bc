import { prices } from './litellm-1.110.2.ts'

/** Lists of prices by their names, which a run may name; a list never changes. */
const lists = { 'litellm-1.110.2': prices } as const
export type ListName = keyof typeof lists
export const listNames = Object.keys(lists) as ListName[]

type Listed = {
  model: string
  currency: string
  regional_uplift?: Record<string, string>
} & Record<string, unknown>

/** The prices of a list, in US dollars for a token; none without a name. */
export function listedPrices(name: ListName | undefined): Listed[] {
  if (name === undefined) return []
  const lines = lists[name].trim().split('\n')
  return lines.flatMap((line) => {
    const [models = '', ...stated] = line.split(' ')
    const pairs = (sign: string) =>
      Object.fromEntries(stated.flatMap((one) => (one.includes(sign) ? [one.split(sign)] : [])))
    const regional_uplift: Record<string, string> = pairs('*')
    const price = { currency: 'USD', ...pairs('='), regional_uplift }
    return models.split(',').map((model) => ({ model, ...price }))
  })
}
