/** Independent of the code under test: the exact amount in a currency of two decimals. */
export const money = (minor: unknown, currency: string): string =>
  `${(Number(minor) / 100).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 12 })} ${currency}`
