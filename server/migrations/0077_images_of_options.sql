-- The option that an image shows, for example a colour: "Azul". The shop shows it first when that option is chosen.
alter table product_images add column option text check (option <> '');
