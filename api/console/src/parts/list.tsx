import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call, type InputOf, type OutputOf } from '../calls.ts'
import { Empty, Loading, Problem } from './basics.tsx'
import { Pager } from './pager.tsx'

const LIMIT = 50

type ListId =
  | 'agents-list'
  | 'delegated-actions-list'
  | 'grants-list'
  | 'mandates-list'
  | 'pilots-list'
  | 'work-list'
type Search = Readonly<Record<string, string | undefined>>
type Listed<Item> = { items: Item[]; offset: number }

/** The page of a list that a search asks for; the page before it is shown while it is read. */
export function useList<Id extends ListId>(id: Id, search: Search) {
  return useQuery({
    queryKey: [id, search],
    queryFn: () => call(id, { ...search, limit: String(LIMIT) } as InputOf<Id>),
    placeholderData: keepPreviousData,
  }) as UseQueryResult<OutputOf<Id>>
}

type ListProps<Item> = {
  list: Pick<UseQueryResult<Listed<Item>>, 'data' | 'error' | 'isPending'>
  empty: { title: string; about: string }
  go: (offset: string) => void
  children: (items: Item[]) => ReactNode
}

/** What was found, or why there is nothing, and the pages before and after. */
export function List<Item>({ list, empty, go, children }: ListProps<Item>) {
  const items = list.data?.items ?? []
  return (
    <>
      <Problem error={list.error} />
      {list.isPending && <Loading />}
      {list.data !== undefined && items.length === 0 && (
        <Empty title={empty.title}>{empty.about}</Empty>
      )}
      {items.length > 0 && children(items)}
      <Pager
        offset={list.data?.offset ?? 0}
        shown={items.length}
        limit={LIMIT}
        go={(offset) => go(String(offset))}
      />
    </>
  )
}
