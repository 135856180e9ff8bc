import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call, type InputOf, type OutputOf } from '../calls.ts'
import { Empty, Loading, PageTitle, Problem } from './basics.tsx'
import { Pager } from './pager.tsx'
import { type Choice, SearchForm } from './search-form.tsx'

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
type ItemOf<Id extends ListId> = OutputOf<Id> extends Listed<infer Item> ? Item : never

/** The page of a list that a search asks for; the page before it is shown while it is read. */
export function useList<Id extends ListId>(id: Id, search: Search) {
  return useQuery({
    queryKey: [id, search],
    queryFn: () => call(id, { ...search, limit: String(LIMIT) } as InputOf<Id>),
    placeholderData: keepPreviousData,
  }) as UseQueryResult<OutputOf<Id> & Listed<ItemOf<Id>>>
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

type ListPageProps<Id extends ListId> = {
  list: Id
  /** The address of the page, whose search is that of the list. */
  path: '/agents' | '/pilots' | '/authority' | '/authority/actions' | '/authority/grants'
  title: string
  tabs?: ReactNode
  /** What the text is compared with; `choices` narrow the list further. */
  text: string
  choices: readonly Choice[]
  empty: ListProps<unknown>['empty']
  children: (items: ItemOf<Id>[]) => ReactNode
}

/** A page of records: its search, and what was found. */
export function ListPage<Id extends ListId>(page: ListPageProps<Id>) {
  const { path: to, title, tabs, text, choices, empty, children } = page
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const list = useList(page.list, search)
  const go = (given: Search) => void navigate({ to, search: given })
  return (
    <>
      <PageTitle>{title}</PageTitle>
      {tabs}
      <SearchForm text={text} choices={choices} now={search} search={go} />
      <List list={list} empty={empty} go={(offset) => go({ ...search, offset })}>
        {children}
      </List>
    </>
  )
}
