import { expect, test } from 'vitest'
import { linkStateOf, type ProductLink, soldCells } from '#domain/payments/product-link.ts'

const link: ProductLink = { url: 'https://pay.example', provider_price_usd: 107, outcome: 'live' }

test('only a live page at the price of a quote is live', () => {
  expect(linkStateOf(link, 107)).toBe('live')
  expect(linkStateOf({ ...link, outcome: 'broken' }, 107)).toBe('broken')
  expect(linkStateOf({ ...link, outcome: null }, 107)).toBe('unchecked')
  expect(linkStateOf(link, 108)).toBe('price_differs')
  expect(linkStateOf({ ...link, url: null }, 107)).toBe('missing')
  expect(linkStateOf(undefined, 107)).toBe('missing')
})

test('every tier of a rail with a price is sold at its total', () => {
  const rails = [
    { key: 'packetops', prices: { entry: 0, standard: 99, pro: 249 } },
    { key: 'contractops', prices: null },
  ] as const
  expect(soldCells(rails)).toEqual([
    { rail: 'packetops', tier: 'standard', total_usd: 107 },
    { rail: 'packetops', tier: 'pro', total_usd: 269 },
  ])
})
