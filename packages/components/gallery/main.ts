import { createApp } from 'vue'
import '../src/style/index.css'
import Gallery from './Gallery.vue'

const parameters = new URLSearchParams(location.search)
document.documentElement.dataset['theme'] = parameters.get('theme') ?? 'light'
createApp(Gallery, { scene: parameters.get('scene') ?? 'asks' }).mount('#app')
