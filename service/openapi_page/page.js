// Swagger UI over /openapi.json. Its dark style is a class, which follows what the reader's system asks for.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  // The badge is a picture of another host's.
  validatorUrl: null,
});
