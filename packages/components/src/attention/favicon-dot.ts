/** Pixels of the icon that is drawn; browsers scale it down. */
const SIZE = 64
/** Against each other 6:1, so that the dot is seen on any icon and any tab. */
const DOT = '#2c55d8'
const RING = '#ffffff'

/** A dot on the icon of the page. */
export interface FaviconDot {
  show(): void
  hide(): void
}

/**
 * Draws a dot on the icons that the page has, or on an empty one. By itself, and not with `useFavicon`,
 * because that changes the icons for home screens as well and leaves behind a link that was not there.
 */
export function createFaviconDot(): FaviconDot {
  let isShown = false
  let restore: (() => void) | undefined

  async function draw(): Promise<void> {
    const links = [...document.head.querySelectorAll<HTMLLinkElement>('link[rel~="icon"]')]
    const drawn = await Promise.all(
      (links.length > 0 ? links : [undefined]).map(async (link) => ({
        link,
        href: await withDot(link?.href),
      })),
    )
    if (!isShown || restore) return
    const undo = drawn.map(({ link, href }) => (link ? change(link, href) : add(href)))
    restore = () => {
      for (const back of undo) back()
    }
  }

  return {
    show() {
      if (isShown) return
      isShown = true
      void draw()
    },
    hide() {
      isShown = false
      restore?.()
      restore = undefined
    },
  }
}

function change(link: HTMLLinkElement, href: string): () => void {
  const former = link.getAttribute('href')
  link.href = href
  return () => {
    // The app has changed it meanwhile.
    if (link.href !== href) return
    if (former === null) link.removeAttribute('href')
    else link.setAttribute('href', former)
  }
}

function add(href: string): () => void {
  const link = document.createElement('link')
  link.rel = 'icon'
  link.href = href
  document.head.append(link)
  return () => link.remove()
}

/** An icon with the dot, as a data URL; the dot alone where the icon cannot be read. */
async function withDot(href: string | undefined): Promise<string> {
  const image = href ? await load(href) : undefined
  try {
    return paint(image)
  } catch {
    // An icon of another host may be shown, but not read.
    return paint(undefined)
  }
}

async function load(href: string): Promise<HTMLImageElement | undefined> {
  const image = new Image(SIZE, SIZE)
  image.crossOrigin = 'anonymous'
  image.src = href
  try {
    await image.decode()
    return image
  } catch {
    return undefined
  }
}

function paint(image: HTMLImageElement | undefined): string {
  const canvas = document.createElement('canvas')
  canvas.width = SIZE
  canvas.height = SIZE
  const context = canvas.getContext('2d')
  if (!context) return ''
  if (image) context.drawImage(image, 0, 0, SIZE, SIZE)
  const radius = SIZE * (image ? 0.22 : 0.36)
  const center = image ? SIZE - radius - SIZE * 0.06 : SIZE / 2
  for (const [colour, width] of [
    [RING, radius + SIZE * 0.06],
    [DOT, radius],
  ] as const) {
    context.beginPath()
    context.arc(center, center, width, 0, Math.PI * 2)
    context.fillStyle = colour
    context.fill()
  }
  return canvas.toDataURL('image/png')
}
