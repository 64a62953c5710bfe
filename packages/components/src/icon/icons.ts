import {
  ArrowDown,
  ArrowUp,
  Ban,
  Check,
  ChevronRight,
  CircleAlert,
  CircleHelp,
  Clock,
  Eye,
  File,
  Image,
  LoaderCircle,
  Paperclip,
  Pencil,
  RotateCcw,
  Send,
  Sparkle,
  Square,
  Trash2,
  X,
} from '@lucide/vue'
import { replaceable } from './replaceable.ts'

/*
 * The icons that the components use, those of parts that are loaded later apart. Each gives way to the one of its name in the
 * configuration: `IconArrowUp` to `icons.arrowUp`.
 */
export const IconArrowDown = /* @__PURE__ */ replaceable('arrowDown', ArrowDown)
export const IconArrowUp = /* @__PURE__ */ replaceable('arrowUp', ArrowUp)
export const IconBan = /* @__PURE__ */ replaceable('ban', Ban)
export const IconCheck = /* @__PURE__ */ replaceable('check', Check)
export const IconChevron = /* @__PURE__ */ replaceable('chevron', ChevronRight)
export const IconAlert = /* @__PURE__ */ replaceable('alert', CircleAlert)
export const IconQuestion = /* @__PURE__ */ replaceable('question', CircleHelp)
export const IconClock = /* @__PURE__ */ replaceable('clock', Clock)
export const IconRead = /* @__PURE__ */ replaceable('read', Eye)
export const IconFile = /* @__PURE__ */ replaceable('file', File)
export const IconImage = /* @__PURE__ */ replaceable('image', Image)
export const IconSpinner = /* @__PURE__ */ replaceable('spinner', LoaderCircle)
export const IconAttach = /* @__PURE__ */ replaceable('attach', Paperclip)
export const IconWrite = /* @__PURE__ */ replaceable('write', Pencil)
export const IconRetry = /* @__PURE__ */ replaceable('retry', RotateCcw)
export const IconSend = /* @__PURE__ */ replaceable('send', Send)
export const IconThought = /* @__PURE__ */ replaceable('thought', Sparkle)
export const IconStop = /* @__PURE__ */ replaceable('stop', Square)
export const IconDestroy = /* @__PURE__ */ replaceable('destroy', Trash2)
export const IconCross = /* @__PURE__ */ replaceable('cross', X)
