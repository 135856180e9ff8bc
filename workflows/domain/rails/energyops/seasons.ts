/** Days of the year by month and day, both ends counted; a season that ends before it begins continues over the new year. */
export type Season = { name: string; from: string; to: string }

/** Whether a day of the year (`05-31`) is in a season. */
export function isInSeason({ from, to }: Omit<Season, 'name'>, day: string): boolean {
  return from <= to ? from <= day && day <= to : day >= from || day <= to
}

/** Each season that has a day in common with one before it: its index and that of the other. */
export function overlappingSeasons(seasons: readonly Season[]): [index: number, other: number][] {
  return seasons.flatMap((season, index): [number, number][] => {
    const other = seasons
      .slice(0, index)
      .findIndex((earlier) => isInSeason(earlier, season.from) || isInSeason(season, earlier.from))
    return other < 0 ? [] : [[index, other]]
  })
}
